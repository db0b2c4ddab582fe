import { describeError, ModelResponseError, PromptValidationError } from '../../error/index.ts';
import { quotedList } from '../../internal/index.ts';
import { isSchemaObject, type JsonObject, type JsonValue } from '../../schema/index.ts';
import type { HostedTool, HostedToolReading, Logger } from '../../tool/index.ts';
import type { UnsupportedConfig } from '../wire/model-options.ts';
import type {
  HostedToolCodec,
  HostedToolCodecs,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted-tool-codec.ts';

/** Every hosted tool of a request, put together. */
export interface HostedToolsWire {
  readonly tools: readonly JsonObject[];
  readonly include: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly request: JsonObject;
}

const noFindings: HostedToolFindings = Object.freeze({ invocations: [], citations: [] });
const nothing: HostedToolsWire = Object.freeze({ tools: [], include: [], headers: {}, request: {} });

/** What a registry works with. */
export interface HostedToolDeskOptions {
  /** Name of the adapter, for messages. */
  readonly adapter: string;
  readonly model: string;
  readonly codecs: HostedToolCodecs;
  /** Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig | undefined;
}

/** Tells one provider of hosted tools, and reads what its answers say about them. Each tool is serialized once. */
export class HostedToolRegistry {
  readonly #options: HostedToolDeskOptions;
  readonly #wires = new WeakMap<HostedTool, HostedToolWire>();
  /** Tools whose config was already said to be told in part only. */
  readonly #warned = new WeakSet<HostedTool>();

  constructor(options: HostedToolDeskOptions) {
    this.#options = options;
  }

  /**
   * Looks whether the provider can be told of the tools, before there is a request.
   *
   * @returns what it is told of each, in their order.
   * @throws {PromptValidationError} for whatever `serialize` throws for.
   */
  check(tools: readonly HostedTool[]): readonly HostedToolWire[] {
    this.#refuseLookalikes(tools);
    return tools.map((tool) => this.#wireOf(tool));
  }

  /**
   * The hosted tools in the provider's words, in the order of the prompt.
   *
   * @throws {PromptValidationError} for a kind without a codec, a config that the provider cannot be told, and tools of one kind that
   *   answers could not tell apart.
   */
  serialize(tools: readonly HostedTool[], logger: Logger): HostedToolsWire {
    if (tools.length === 0) return nothing;
    const wires = this.check(tools);
    for (const tool of tools) this.#warn(tool, logger);
    return {
      tools: wires.flatMap((wire) => wire.tools),
      include: [...new Set(wires.flatMap(({ include = [] }) => include))],
      headers: wires.reduce((all, { headers }) => mergeHeaders(all, headers), {}),
      request: wires.reduce<JsonObject>((all, { request }) => mergeRequests(all, request), {}),
    };
  }

  /**
   * What an answer says about each tool that it says something about.
   *
   * @throws {ModelResponseError} when a codec cannot read it; what it threw is the cause.
   */
  read(tools: readonly HostedTool[], turn: HostedTurn): readonly HostedToolReading[] {
    return tools.flatMap((tool): readonly HostedToolReading[] => {
      const { invocations, citations } = this.#parse(tool, turn) ?? noFindings;
      return invocations.length + citations.length === 0
        ? []
        : [{ toolName: tool.name, invocations, citations }];
    });
  }

  #parse(tool: HostedTool, turn: HostedTurn): HostedToolFindings | undefined {
    let returned: unknown;
    try {
      returned = this.#codecOf(tool).parseOutput(turn, tool);
    } catch (cause) {
      if (ModelResponseError.isInstance(cause)) throw cause;
      const message = `What it says about the hosted tool "${tool.name}" cannot be read: ${describeError(cause)}`;
      throw new ModelResponseError('model-response-invalid', message, {
        cause,
        details: { tool: tool.name, kind: tool.hostedKind },
      });
    }
    if (returned === undefined || returned === null) return undefined;
    if (isFindings(returned)) return returned;
    throw new ModelResponseError(
      'model-response-invalid',
      `The codec for the kind "${tool.hostedKind}" returned ${describeValue(returned)} from parseOutput() for the hosted tool "${tool.name}". Return { invocations, citations }, two lists of objects, or nothing when the tool was not used.`,
      { details: { tool: tool.name, kind: tool.hostedKind } },
    );
  }

  #wireOf(tool: HostedTool): HostedToolWire {
    const known = this.#wires.get(tool);
    if (known !== undefined) return known;
    const { model, unsupportedConfig = 'error' } = this.#options;
    const wire = this.#codecOf(tool).serialize(tool, model);
    if (!isWire(wire)) {
      throw new PromptValidationError(
        `The codec for the kind "${tool.hostedKind}" returned ${describeValue(wire)} from serialize() for the hosted tool "${tool.name}". Return { tools }, a list of objects in the provider's words.`,
        { details: { tool: tool.name, kind: tool.hostedKind } },
      );
    }
    const { unsupported = [] } = wire;
    if (unsupported.length > 0 && unsupportedConfig === 'error') {
      throw new PromptValidationError(
        `${this.#cannotTell(tool, unsupported)} Take it out of the config, or set unsupportedConfig: 'warn' on the adapter to go on without it.`,
        { details: { tool: tool.name, kind: tool.hostedKind, unsupported } },
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
      kind: tool.hostedKind,
      unsupported,
    });
  }

  #cannotTell({ name }: HostedTool, unsupported: readonly string[]): string {
    return `The ${this.#options.adapter} adapter cannot tell the provider ${quotedList(unsupported)} of the hosted tool "${name}".`;
  }

  #codecOf({ hostedKind, name }: HostedTool): HostedToolCodec {
    const { adapter, codecs } = this.#options;
    const codec = Object.hasOwn(codecs, hostedKind) ? codecs[hostedKind] : undefined;
    if (codec !== undefined) return codec;
    throw new PromptValidationError(
      `Unsupported hosted tool kind "${hostedKind}" for the ${adapter} adapter, which knows ${quotedList(Object.keys(codecs)) || 'none'}. Take "${name}" out of the prompt, or give the adapter a codec for it in hostedToolCodecs.`,
      { details: { tool: name, kind: hostedKind } },
    );
  }

  #refuseLookalikes(tools: readonly HostedTool[]): void {
    const first = new Map<string, string>();
    for (const tool of tools) {
      const { hostedKind, name } = tool;
      const codec = this.#codecOf(tool);
      const identity = codec.allowsSeveral === true ? (codec.identify?.(tool) ?? `name "${name}"`) : '';
      const key = JSON.stringify([hostedKind, identity]);
      const other = first.get(key);
      first.set(key, name);
      if (other === undefined) continue;
      const [more, remedy] =
        identity === '' ? ['', 'Keep one of them'] : [` with the ${identity}`, 'Give each its own'];
      throw new PromptValidationError(
        `The ${this.#options.adapter} adapter cannot tell the hosted tools "${other}" and "${name}" apart, both of the kind "${hostedKind}"${more}. ${remedy}.`,
        { details: { tool: name, kind: hostedKind } },
      );
    }
  }
}

/** Codecs are code of others. */
function isFindings(returned: unknown): returned is HostedToolFindings {
  return (
    isSchemaObject(returned) &&
    isListOfObjects(returned['invocations']) &&
    isListOfObjects(returned['citations'])
  );
}

function isWire(returned: unknown): returned is HostedToolWire {
  if (!isSchemaObject(returned)) return false;
  const { tools, include, unsupported } = returned;
  return (
    isListOfObjects(tools) &&
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

function mergeHeaders(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const merged: Record<string, string> = { ...left };
  for (const [given, value] of Object.entries(right)) {
    const name = given.toLowerCase();
    const values = new Set([...(merged[name]?.split(',') ?? []), ...value.split(',')].map((it) => it.trim()));
    merged[name] = [...values].join(',');
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
 * What a run ends with whose model shall be made to use a hosted tool that the provider has no choice for.
 *
 * @param provider for the message.
 * @internal
 */
export function refuseHostedChoice(
  { name, hostedKind }: HostedTool,
  provider: string,
): PromptValidationError {
  return new PromptValidationError(
    `The model cannot be made to use the hosted tool "${name}": ${provider} has no choice for the kind "${hostedKind}". Use toolChoice 'auto' or 'required', or ask for it in the instructions.`,
    { details: { option: 'toolChoice', tool: name, kind: hostedKind } },
  );
}
