import { none } from '../../../core/internal/index.ts';
import type { ToolResultItem } from '../../../core/runtime/index.ts';
import type { PlacedTools } from '../../kit/index.ts';
import type {
  AiSdkFunctionTool,
  CustomResultPart,
  ProviderOptions,
  WireObject,
} from '../wire/call-options.ts';

/** How a provider package takes the tools of opened sections in place. */
export type OpenedToolsForm = 'openai' | 'openai-search' | 'anthropic';

/** What a result brings beside its text. */
export interface BroughtTools {
  readonly providerOptions?: ProviderOptions;
  readonly parts: readonly CustomResultPart[];
}

const nothing: BroughtTools = { parts: none };

/** The form of a model's package; undefined for one that has none. @param where not where they are appended. */
export function openedToolsFormOf(
  {
    provider,
    specificationVersion,
  }: {
    readonly provider: string;
    readonly specificationVersion: string;
  },
  where: 'in-place' | 'tool-search',
): OpenedToolsForm | undefined {
  if (where === 'tool-search') return provider === 'openai.responses' ? 'openai-search' : undefined;
  if (specificationVersion !== 'v4') return undefined;
  if (provider === 'openai.responses') return 'openai';
  return provider === 'anthropic.messages' ? 'anthropic' : undefined;
}

/** The tools that a request declares before its conversation. */
export function declaredTools(
  tools: readonly AiSdkFunctionTool[],
  { hidden, inPlace }: PlacedTools,
  form: OpenedToolsForm | undefined,
): readonly AiSdkFunctionTool[] {
  const isLater = ({ name }: AiSdkFunctionTool): boolean => hidden.has(name) || inPlace.has(name);
  if (form !== 'anthropic') return tools.filter((tool) => !isLater(tool));
  const later = { anthropic: { deferLoading: true } };
  return tools.map((tool) => (isLater(tool) ? { ...tool, providerOptions: later } : tool));
}

/** What the result of a call brings that has opened sections. */
export function broughtBy(
  { loadedTools = none }: Pick<ToolResultItem, 'loadedTools'>,
  tools: readonly AiSdkFunctionTool[],
  { inPlace }: PlacedTools,
  form: OpenedToolsForm | undefined,
): BroughtTools {
  const names = loadedTools.filter((name) => inPlace.has(name));
  // What a search brings is its output.
  if (names.length === 0 || form === 'openai-search') return nothing;
  if (form === 'anthropic') {
    return {
      parts: names.map((toolName) => ({
        type: 'custom',
        providerOptions: { anthropic: { type: 'tool-reference', toolName } },
      })),
    };
  }
  const additionalTools = tools.filter(({ name }) => names.includes(name)).map(toOpenAITool);
  return { parts: none, providerOptions: { openai: { additionalTools } } };
}

/** A tool as OpenAI's package sends it on unchanged. */
export function toOpenAITool({ description, inputSchema, name, strict }: AiSdkFunctionTool): WireObject {
  return { type: 'function', name, description, parameters: inputSchema, strict };
}
