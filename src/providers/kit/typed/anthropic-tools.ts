import { quoteText } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import { type VendorToolType, vendorTypeOf } from '../hosted/vendor-types.ts';
import type { WireFields } from '../wire/fields.ts';
import type { ProviderCall, ProviderToolCodec, ProviderToolCodecTable } from './provider-tool-codec.ts';

/** A tool with a fixed name. */
type NamedToolType = VendorToolType & { readonly name: string };

/** The tools of Anthropic that run here, as one interface names them. */
export type AnthropicToolTypes = Readonly<
  Record<
    'anthropic.bash' | 'anthropic.text_editor' | 'anthropic.memory',
    readonly [NamedToolType, ...NamedToolType[]]
  >
>;

/** How one interface writes what all of these tools have. */
interface AnthropicForm {
  /** The entry of the list of tools. */
  entry(type: NamedToolType): JsonObject;
  /** How a call of the tool of this name is forced. */
  choice(name: string): JsonObject;
  /** The arguments of a call of the tool of this name; undefined for an item of something else. */
  inputOf(item: WireFields, name: string): JsonObject | undefined;
}

/** The codecs of Anthropic's tools in one form. Their results are those of any tool. */
export function anthropicToolCodecs(types: AnthropicToolTypes, form: AnthropicForm): ProviderToolCodecTable {
  const codec = (
    kind: keyof AnthropicToolTypes,
    setting: string,
    toCall: (input: JsonObject, uses: readonly string[]) => ProviderCall,
  ): ProviderToolCodec => {
    const versions = types[kind];
    // One name in all versions that are offered.
    const [{ name }] = versions;
    return {
      kind,
      declare: ({ config: { version } }) => {
        const wanted = typeof version === 'string' ? version : undefined;
        const of = `providerToolsSection({ anthropic: { ${setting}: { version } } })`;
        return { tools: [form.entry(vendorTypeOf(of, versions, wanted))] };
      },
      choose: () => form.choice(name),
      readCalls: (item, { tool: { uses } }) => {
        const input = form.inputOf(item, name);
        return input === undefined ? undefined : [toCall(input, uses)];
      },
    };
  };
  return {
    'anthropic.bash': codec('anthropic.bash', 'bash', bashCall),
    'anthropic.text_editor': codec('anthropic.text_editor', 'textEditor', editorCall),
    'anthropic.memory': codec('anthropic.memory', 'memory', (input, [name = '']) => ({
      name,
      arguments: input,
    })),
  };
}

/** The call that a call of `bash` is. */
function bashCall(input: JsonObject, [shell = '', restartTool = '']: readonly string[]): ProviderCall {
  const { command, restart } = input;
  if (restart === true && (command === undefined || command === null || command === ''))
    return { name: restartTool, arguments: {} };
  if (typeof command === 'string' && command !== '') return { name: shell, arguments: { command } };
  return {
    name: shell,
    arguments: {},
    problem: 'Nothing was run: give "command", a text that is not empty.',
  };
}

/** The call that a call of the text editor is. */
function editorCall(
  input: JsonObject,
  [reader = '', writer = '', editor = '']: readonly string[],
): ProviderCall {
  const { command, path } = input;
  const file = { file_path: typeof path === 'string' ? path : '' };
  switch (command) {
    case 'view':
      return viewCall(reader, file, input['view_range']);
    case 'create': {
      const { file_text: content } = input;
      return typeof content === 'string'
        ? { name: writer, arguments: { ...file, content } }
        : refused(writer, file, 'create needs "file_text", the whole text of the file');
    }
    case 'str_replace': {
      const { old_str: old, new_str: replacement = '' } = input;
      return typeof old === 'string' && old !== '' && typeof replacement === 'string'
        ? { name: editor, arguments: { ...file, old_string: old, new_string: replacement } }
        : refused(editor, file, 'str_replace needs "old_str", a text that is not empty, and "new_str"');
    }
    case 'insert': {
      // The name of the text differs between the versions of the tool.
      const { insert_line: line, insert_text: text = input['new_str'] } = input;
      return typeof line === 'number' && typeof text === 'string'
        ? { name: editor, arguments: { ...file, insert_line: line, new_string: text } }
        : refused(editor, file, 'insert needs "insert_line", a number, and "insert_text"');
    }
    case 'undo_edit':
      return refused(
        editor,
        file,
        'undo_edit is of versions before text_editor_20250728, which are not offered. Edit the file back',
      );
    default:
      return refused(
        reader,
        file,
        `${typeof command === 'string' ? quoteText(command) : 'what was asked'} is not a command. The commands are view, create, str_replace and insert`,
      );
  }
}

function viewCall(reader: string, file: JsonObject, range: unknown): ProviderCall {
  if (range === undefined || range === null) return { name: reader, arguments: file };
  const [from, to]: readonly unknown[] = Array.isArray(range) ? range : [];
  const isRange =
    Number.isSafeInteger(from) &&
    Number(from) >= 1 &&
    Number.isSafeInteger(to) &&
    (to === -1 || Number(to) >= Number(from));
  if (!isRange)
    return refused(
      reader,
      file,
      '"view_range" must be [first line, last line], counted from 1, with -1 for the end of the file',
    );
  const offset = Number(from) - 1;
  const limit = to === -1 ? {} : { limit: Number(to) - offset };
  return { name: reader, arguments: { ...file, offset, ...limit } };
}

function refused(name: string, given: JsonObject, why: string): ProviderCall {
  return { name, arguments: given, problem: `Nothing was done: ${why}.` };
}
