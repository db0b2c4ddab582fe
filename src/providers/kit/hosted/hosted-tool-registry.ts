import { describeError, ModelResponseError, PromptValidationError } from '../../../core/error/index.ts';
import { quotedList } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject, type JsonValue } from '../../../core/schema/index.ts';
import type { Citation, HostedTool, HostedToolReading, Logger } from '../../../core/tool/index.ts';
import { joinLists } from '../wire/headers.ts';
import type {
  HostedToolCodec,
  HostedToolCodecTable,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted-tool-codec.ts';

/** What to do with a config that a provider does not fully support. */
export type UnsupportedConfig = 'error' | 'warn';

/** All hosted tools of a request, combined. */
export interface HostedRequestWire {
  readonly tools: readonly JsonObject[];
  readonly include: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly request: JsonObject;
}

const noFindings: HostedToolFindings = Object.freeze({ invocations: [], citations: [] });
const nothing: HostedRequestWire = Object.freeze({ tools: [], include: [], headers: {}, request: {} });

/** Options of a registry. */
export interface HostedToolDeskOptions {
  /** Name of the adapter, for messages. */
  readonly adapter: string;
  readonly model: string;
  readonly codecs: HostedToolCodecTable;
  /** Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig | undefined;
}

/**
 * The hosted tools of one adapter: serializes them for the provider, each once, and parses what its answers report about
 * them.
 */
export class HostedToolRegistry {
  readonly #options: HostedToolDeskOptions;
  readonly #wires = new WeakMap<HostedTool, HostedToolWire>();
  /** Tools whose unsupported config was already logged. */
  readonly #warned = new WeakSet<HostedTool>();

  constructor(options: HostedToolDeskOptions) {
    this.#options = options;
  }

  /**
   * Checks that the provider supports the tools, before a request is made.
   *
   * @returns the serialized form of each tool, in order.
   * @throws {PromptValidationError} as `serialize` does.
   */
  check(tools: readonly HostedTool[]): readonly HostedToolWire[] {
    this.#refuseLookalikes(tools);
    return tools.map((tool) => this.#wireOf(tool));
  }

  /**
   * The hosted tools in the provider's format, in the order of the prompt.
   *
   * @throws {PromptValidationError} for a kind without a codec, an unsupported config, and tools of one kind that answers
   * do not distinguish.
   */
  serialize(tools: readonly HostedTool[], logger: Logger): HostedRequestWire {
    if (tools.length === 0) return nothing;
    const wires = this.check(tools);
    for (const tool of tools) this.#warn(tool, logger);
    return {
      tools: entriesOf(wires),
      include: [...new Set(wires.flatMap(({ include = [] }) => include))],
      headers: wires.reduce((all, { headers }) => mergeHeaders(all, headers), {}),
      request: wires.reduce<JsonObject>((all, { request }) => mergeRequests(all, request), {}),
    };
  }

  /**
   * Findings of an answer about each tool that it mentions. A citation whose span is not in the text of the answer has none.
   *
   * @throws {ModelResponseError} when a codec fails; what it threw is the cause.
   */
  read(tools: readonly HostedTool[], turn: HostedTurn): readonly HostedToolReading[] {
    return tools.flatMap((tool): readonly HostedToolReading[] => {
      const { invocations, citations } = this.#parse(tool, turn) ?? noFindings;
      return invocations.length + citations.length === 0
        ? []
        : [
            {
              toolName: tool.name,
              invocations,
              citations: citations.map((citation) => withinText(citation, turn.text)),
            },
          ];
    });
  }

  #parse(tool: HostedTool, turn: HostedTurn): HostedToolFindings | undefined {
    let returned: unknown;
    try {
      returned = this.#codecOf(tool).parseOutput(turn, tool);
    } catch (cause) {
      if (ModelResponseError.isInstance(cause)) throw cause;
      const message = `The answer about the hosted tool "${tool.name}" cannot be parsed: ${describeError(cause)}`;
      throw new ModelResponseError('model-response-invalid', message, {
        cause,
        details: { tool: tool.name, kind: tool.kind },
      });
    }
    if (returned === undefined || returned === null) return undefined;
    if (isFindings(returned)) return returned;
    throw new ModelResponseError(
      'model-response-invalid',
      `The codec for the kind "${tool.kind}" returned ${describeValue(returned)} from parseOutput() for the hosted tool "${tool.name}". Return { invocations, citations }, two lists of objects, or undefined when the tool was not used.`,
      { details: { tool: tool.name, kind: tool.kind } },
    );
  }

  #wireOf(tool: HostedTool): HostedToolWire {
    const known = this.#wires.get(tool);
    if (known !== undefined) return known;
    const { model, unsupportedConfig = 'error' } = this.#options;
    const wire = this.#codecOf(tool).serialize(tool, model);
    if (!isWire(wire)) {
      throw new PromptValidationError(
        `The codec for the kind "${tool.kind}" returned ${describeValue(wire)} from serialize() for the hosted tool "${tool.name}". Return { tools }, a list of objects in the provider's format.`,
        { details: { tool: tool.name, kind: tool.kind } },
      );
    }
    const { unsupported = [] } = wire;
    if (unsupported.length > 0 && unsupportedConfig === 'error') {
      throw new PromptValidationError(
        `${this.#cannotTell(tool, unsupported)} Take it out of the config, or set unsupportedConfig: 'warn' on the adapter to continue without it.`,
        { details: { tool: tool.name, kind: tool.kind, unsupported } },
      );
    }
    this.#wires.set(tool, wire);
    return wire;
  }

  #warn(tool: HostedTool, logger: Logger): void {
    const { unsupported = [] } = this.#wireOf(tool);
    if (unsupported.length === 0 || this.#warned.has(tool)) return;
    this.#warned.add(tool);
    logger.warn(`${this.#cannotTell(tool, unsupported)} The tool runs without it.`, {
      tool: tool.name,
      kind: tool.kind,
      unsupported,
    });
  }

  #cannotTell({ name }: HostedTool, unsupported: readonly string[]): string {
    return `The ${this.#options.adapter} adapter does not support ${quotedList(unsupported)} of the hosted tool "${name}".`;
  }

  #codecOf({ kind, name }: HostedTool): HostedToolCodec {
    const { adapter, codecs } = this.#options;
    const codec = Object.hasOwn(codecs, kind) ? codecs[kind] : undefined;
    if (codec !== undefined) return codec;
    throw new PromptValidationError(
      `Unsupported hosted tool kind "${kind}" for the ${adapter} adapter, which supports ${quotedList(Object.keys(codecs)) || 'none'}. Remove "${name}" from the prompt, or give the adapter a codec for it in hostedToolCodecs.`,
      { details: { tool: name, kind } },
    );
  }

  #refuseLookalikes(tools: readonly HostedTool[]): void {
    const first = new Map<string, string>();
    for (const tool of tools) {
      const { kind, name } = tool;
      const codec = this.#codecOf(tool);
      const identity = codec.allowsSeveral === true ? (codec.identify?.(tool) ?? `name "${name}"`) : '';
      const key = JSON.stringify([kind, identity]);
      const other = first.get(key);
      first.set(key, name);
      if (other === undefined) continue;
      const [more, remedy] =
        identity === '' ? ['', 'Keep one of them'] : [` with the ${identity}`, 'Give each its own'];
      throw new PromptValidationError(
        `The ${this.#options.adapter} adapter cannot tell the hosted tools "${other}" and "${name}" apart, both of the kind "${kind}"${more}. ${remedy}.`,
        { details: { tool: name, kind } },
      );
    }
  }
}

/** Positions come from providers, which count in several units, and from codecs, which are user code: one that cannot be is not passed on. */
function withinText(citation: Citation, text: string): Citation {
  const { span, ...cited } = citation;
  return span === undefined || isSpan(span, text) ? citation : cited;
}

function isSpan(span: unknown, text: string): boolean {
  if (!Array.isArray(span) || span.length !== 2) return false;
  const [start, end]: readonly unknown[] = span;
  const isWithin =
    Number.isInteger(start) && Number.isInteger(end) && 0 <= Number(start) && Number(start) < Number(end);
  return (
    isWithin && Number(end) <= text.length && !isInPair(text, Number(start)) && !isInPair(text, Number(end))
  );
}

/** Whether an offset is between the halves of a surrogate pair. */
function isInPair(text: string, offset: number): boolean {
  return (text.codePointAt(offset - 1) ?? 0) > 0xffff;
}

/** Codecs are user code. */
function isFindings(returned: unknown): returned is HostedToolFindings {
  return (
    isSchemaObject(returned) &&
    isListOfObjects(returned['invocations']) &&
    isListOfObjects(returned['citations'])
  );
}

function isWire(returned: unknown): returned is HostedToolWire {
  if (!isSchemaObject(returned)) return false;
  const { tools, include, requires, unsupported } = returned;
  return (
    isListOfObjects(tools) &&
    (requires === undefined || isListOfObjects(requires)) &&
    [include, unsupported].every((list) => list === undefined || Array.isArray(list))
  );
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && value.every(isSchemaObject);
}

function describeValue(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (isSchemaObject(value)) return `an object with the keys ${quotedList(Object.keys(value)) || 'none'}`;
  return Array.isArray(value) ? 'a list' : `a value of type ${value === null ? 'null' : typeof value}`;
}

/** The entries of the tools, in order, and after them what they require and do not bring, once. */
function entriesOf(wires: readonly HostedToolWire[]): readonly JsonObject[] {
  const own = wires.flatMap(({ tools }) => tools);
  const required = wires.flatMap(({ requires = [] }) => requires);
  if (required.length === 0) return own;
  const brought = own.map((entry) => JSON.stringify(entry));
  const missing = new Map(required.map((entry) => [JSON.stringify(entry), entry]));
  return [...own, ...[...missing].flatMap(([text, entry]) => (brought.includes(text) ? [] : [entry]))];
}

function mergeHeaders(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const merged: Record<string, string> = { ...left };
  for (const [given, value] of Object.entries(right)) {
    const name = given.toLowerCase();
    merged[name] = joinLists(merged[name], value);
  }
  return merged;
}

function mergeRequests(left: JsonObject, right: JsonObject = {}): JsonObject {
  const merged: Record<string, JsonValue | undefined> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const before = merged[key];
    if (Array.isArray(before) && Array.isArray(value)) merged[key] = [...before, ...value];
    else if (isSchemaObject(before) && isSchemaObject(value)) merged[key] = mergeRequests(before, value);
    else merged[key] = value;
  }
  return merged;
}

/**
 * The choice of the hosted tool that the model must use; undefined for a tool that runs here.
 *
 * @param wires the serialized hosted tools.
 * @param provider for the message.
 * @param toChoice the choice of a tool in the provider's format; undefined where there is none.
 * @throws {PromptValidationError} for a hosted tool that the provider cannot be forced to use.
 * @internal
 */
export function hostedChoice<Choice>(
  chosen: string,
  hostedTools: readonly HostedTool[],
  wires: readonly HostedToolWire[],
  provider: string,
  toChoice: (wire: JsonObject) => Choice | undefined,
): Choice | undefined {
  const index = hostedTools.findIndex(({ name }) => name === chosen);
  const hosted = hostedTools[index];
  if (hosted === undefined) return undefined;
  const choice = toChoice(wires[index]?.tools[0] ?? {});
  if (choice !== undefined) return choice;
  const { kind, name } = hosted;
  throw new PromptValidationError(
    `The model cannot be forced to use the hosted tool "${name}", nor be restricted to it: ${provider} has no choice for the kind "${kind}". Use toolChoice 'auto' or 'required', or ask for it in the instructions.`,
    { details: { option: 'toolChoice', tool: name, kind } },
  );
}
