import { PromptValidationError } from '../../../core/error/index.ts';
import { quotedList } from '../../../core/internal/index.ts';

/** One version of a vendor's tool, as a request names it. */
export interface VendorToolType {
  /** The `type` of the tool; for the AI SDK the `id` of the package's tool. */
  readonly type: string;
  /** The only name that the vendor accepts for the tool. Default: it has none, or any. */
  readonly name?: string;
  /** The beta feature without which the vendor refuses it. Default: none is needed, or the package asks for it. */
  readonly beta?: string;
  /** Day on which the vendor's published types were read: `YYYY-MM-DD`. */
  readonly checkedOn: string;
}

// What requests name the tools of vendors, by interface and kind: the versions that this release speaks, the default first. Nothing else in the
// library spells them. Kinds without a dot are hosted tools; tools of the others run here.

/**
 * OpenAI's Responses API.
 *
 * @internal
 */
export const openaiTypes = {
  web_search: [{ type: 'web_search', checkedOn: '2026-11-27' }],
  code_interpreter: [{ type: 'code_interpreter', checkedOn: '2026-11-27' }],
  file_search: [{ type: 'file_search', checkedOn: '2026-11-27' }],
  image_generation: [{ type: 'image_generation', checkedOn: '2026-11-27' }],
  mcp: [{ type: 'mcp', checkedOn: '2026-11-27' }],
  'openai.shell': [{ type: 'shell', checkedOn: '2026-11-27' }],
  'openai.tool_search': [{ type: 'tool_search', checkedOn: '2026-11-27' }],
  'openai.apply_patch': [{ type: 'apply_patch', checkedOn: '2026-11-27' }],
} as const;

/**
 * Anthropic's Messages API.
 *
 * @internal
 */
export const anthropicTypes = {
  web_search: [{ type: 'web_search_20260318', name: 'web_search', checkedOn: '2026-11-27' }],
  web_fetch: [{ type: 'web_fetch_20260318', name: 'web_fetch', checkedOn: '2026-11-27' }],
  code_interpreter: [{ type: 'code_execution_20260521', name: 'code_execution', checkedOn: '2026-11-27' }],
  mcp: [{ type: 'mcp_toolset', beta: 'mcp-client-2025-11-20', checkedOn: '2026-11-27' }],
  'anthropic.bash': [{ type: 'bash_20250124', name: 'bash', checkedOn: '2026-11-27' }],
  'anthropic.text_editor': [
    { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', checkedOn: '2026-11-27' },
  ],
  'anthropic.memory': [{ type: 'memory_20250818', name: 'memory', checkedOn: '2026-11-27' }],
} as const;

/**
 * `@ai-sdk/openai` 4 and 3, of AI SDK 7 and 6.
 *
 * @internal
 */
export const aiSdkOpenaiTypes = {
  web_search: [{ type: 'openai.web_search', name: 'web_search', checkedOn: '2026-11-27' }],
  code_interpreter: [{ type: 'openai.code_interpreter', name: 'code_interpreter', checkedOn: '2026-11-27' }],
  file_search: [{ type: 'openai.file_search', name: 'file_search', checkedOn: '2026-11-27' }],
  image_generation: [{ type: 'openai.image_generation', name: 'image_generation', checkedOn: '2026-11-27' }],
  mcp: [{ type: 'openai.mcp', checkedOn: '2026-11-27' }],
  'openai.shell': [{ type: 'openai.shell', name: 'shell', checkedOn: '2026-11-27' }],
  'openai.tool_search': [{ type: 'openai.tool_search', name: 'tool_search', checkedOn: '2026-11-27' }],
  'openai.apply_patch': [{ type: 'openai.apply_patch', name: 'apply_patch', checkedOn: '2026-11-27' }],
} as const;

/**
 * `@ai-sdk/anthropic` 4, of AI SDK 7. The second version of a web tool is the one whose results code may filter.
 *
 * @internal
 */
export const aiSdk7AnthropicTypes = {
  web_search: [
    { type: 'anthropic.web_search_20250305', name: 'web_search', checkedOn: '2026-11-27' },
    { type: 'anthropic.web_search_20260318', name: 'web_search', checkedOn: '2026-11-27' },
  ],
  web_fetch: [
    { type: 'anthropic.web_fetch_20250910', name: 'web_fetch', checkedOn: '2026-11-27' },
    { type: 'anthropic.web_fetch_20260318', name: 'web_fetch', checkedOn: '2026-11-27' },
  ],
  code_interpreter: [
    { type: 'anthropic.code_execution_20260120', name: 'code_execution', checkedOn: '2026-11-27' },
  ],
  'anthropic.bash': [{ type: 'anthropic.bash_20250124', name: 'bash', checkedOn: '2026-11-27' }],
  'anthropic.text_editor': [
    {
      type: 'anthropic.text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      checkedOn: '2026-11-27',
    },
  ],
  'anthropic.memory': [{ type: 'anthropic.memory_20250818', name: 'memory', checkedOn: '2026-11-27' }],
} as const;

/**
 * `@ai-sdk/anthropic` 3, of AI SDK 6.
 *
 * @internal
 */
export const aiSdk6AnthropicTypes = {
  web_search: [{ type: 'anthropic.web_search_20250305', name: 'web_search', checkedOn: '2026-11-27' }],
  web_fetch: [{ type: 'anthropic.web_fetch_20250910', name: 'web_fetch', checkedOn: '2026-11-27' }],
  code_interpreter: [
    { type: 'anthropic.code_execution_20260120', name: 'code_execution', checkedOn: '2026-11-27' },
  ],
  'anthropic.bash': [{ type: 'anthropic.bash_20250124', name: 'bash', checkedOn: '2026-11-27' }],
  'anthropic.text_editor': [
    {
      type: 'anthropic.text_editor_20250728',
      name: 'str_replace_based_edit_tool',
      checkedOn: '2026-11-27',
    },
  ],
  'anthropic.memory': [{ type: 'anthropic.memory_20250818', name: 'memory', checkedOn: '2026-11-27' }],
} as const;

/**
 * The version of a vendor's tool that a setting asks for.
 *
 * @param setting where the version is asked for, for the message, such as `providerToolsSection({ anthropic: { textEditor: { version } } })`.
 * @param versions the versions of its kind, of a table above; the first is the default.
 * @param wanted the whole type, or the date at its end: `20250728`. Default: the default.
 * @throws {PromptValidationError} for a version that is not among them.
 * @internal
 */
export function vendorTypeOf<Versions extends readonly [VendorToolType, ...VendorToolType[]]>(
  setting: string,
  versions: Versions,
  wanted?: string,
): Versions[number] {
  const [first] = versions;
  if (wanted === undefined) return first;
  const isDate = /^\d{8}$/.test(wanted);
  const found = versions.find(({ type }) => type === wanted || (isDate && type.endsWith(`_${wanted}`)));
  if (found !== undefined) return found;
  const known = versions.map(({ type }) => type);
  throw new PromptValidationError(
    `${setting} asks for the version "${wanted}", which this release does not know. It knows ${quotedList(known)}, as published on ${first.checkedOn}. Use one of them, leave the setting out for "${first.type}", or update weakincentives.`,
    { details: { option: setting, wanted, known, checkedOn: first.checkedOn } },
  );
}
