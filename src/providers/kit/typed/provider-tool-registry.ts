import { describeError, ModelResponseError, PromptValidationError } from '../../../core/error/index.ts';
import { none, present } from '../../../core/internal/index.ts';
import type { ModelRequest, ModelTool } from '../../../core/runtime/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type {
  AssistantItem,
  AssistantPart,
  ProviderTool,
  ToolCallPart,
  ToolResultItem,
} from '../../../core/tool/index.ts';
import type { HostedToolWire } from '../hosted/hosted-tool-codec.ts';
import type { DistinctCallIds } from '../wire/distinct-call-ids.ts';
import type { WireFields } from '../wire/fields.ts';
import type {
  ChoicePurpose,
  ProviderCall,
  ProviderToolCodec,
  ProviderToolCodecTable,
} from './provider-tool-codec.ts';

/** Options of a registry. */
interface ProviderToolRegistryOptions {
  /** Name of the adapter, for messages. */
  readonly adapter: string;
  readonly model: string;
  readonly codecs: ProviderToolCodecTable;
}

/** A provider tool that is declared in a request. */
interface DeclaredTool {
  readonly tool: ProviderTool;
  readonly codec: ProviderToolCodec;
  readonly wire: HostedToolWire;
}

/** The provider tools of one request. */
export interface TypedTools {
  /** Entries of the list of tools, in the provider's format. */
  readonly tools: readonly JsonObject[];
  readonly headers: Readonly<Record<string, string>>;
  /** Names of tools that are not declared beside them. */
  readonly replaced: ReadonlySet<string>;
  /** The calls that an item of the answer asks for, and the kind that it is of; undefined for an item of something else. */
  readCalls(item: WireFields): { readonly kind: string; readonly calls: readonly ProviderCall[] } | undefined;
}

type TypedRequest = Pick<ModelRequest, 'tools' | 'providerTools' | 'deferredTools'>;

/** The provider tools of one adapter. Create one for each adapter. */
export class ProviderToolRegistry {
  readonly #options: ProviderToolRegistryOptions;
  readonly #wires = new WeakMap<ProviderTool, HostedToolWire>();

  constructor(options: ProviderToolRegistryOptions) {
    this.#options = options;
  }

  /** The kinds that the adapter takes. */
  get kinds(): readonly string[] {
    return Object.keys(this.#options.codecs);
  }

  /**
   * What a request declares; undefined for nothing. A tool that comes with the section that brings it stays an ordinary tool: the list of tools must not change.
   *
   * @throws {PromptValidationError} as codecs do, and for a tool of the prompt that has the name of one of them.
   */
  declare(request: TypedRequest): TypedTools | undefined {
    const declared = this.#declared(request);
    if (declared.length === 0) return undefined;
    const named = new Map(request.tools.map((tool) => [tool.name, tool]));
    const replaced = new Set(declared.flatMap(({ tool }) => tool.replaces));
    const tools = declared.flatMap(({ wire }) => wire.tools);
    for (const { name } of tools) {
      if (typeof name === 'string' && named.has(name) && !replaced.has(name)) throw this.#taken(name);
    }
    return {
      tools,
      headers: Object.assign({}, ...declared.map(({ wire }) => wire.headers)),
      replaced,
      readCalls: (item) => readCalls(item, declared, named),
    };
  }

  /**
   * How a choice names a tool that the model gets in the shape of a provider tool; undefined for any other.
   *
   * @throws {PromptValidationError} where it cannot.
   */
  choiceOf(name: string, request: TypedRequest, purpose: ChoicePurpose): JsonObject | undefined {
    const { providerTools = none } = request;
    if (providerTools.length === 0) return undefined;
    const { adapter } = this.#options;
    const declared = this.#declared(request);
    const shown = declared.find(({ tool }) => tool.replaces.includes(name) || tool.typedOnly?.includes(name));
    if (shown === undefined) {
      const lacking = providerTools.find(({ typedOnly }) => typedOnly?.includes(name));
      if (lacking === undefined) return undefined;
      throw unchoosable(
        name,
        `the ${adapter} adapter does not have "${lacking.kind}", as which alone it is offered`,
      );
    }
    const { tool, codec } = shown;
    const isItself = tool.uses.includes(name);
    const choice = isItself ? codec.choose?.(tool, purpose) : undefined;
    if (choice !== undefined) return choice;
    const instead = isItself
      ? `for which the ${adapter} adapter has no such choice`
      : `whose name is "${tool.uses[0]}"`;
    throw unchoosable(name, `it is offered as "${tool.kind}", ${instead}`);
  }

  /** The answer to an item in its own shape; undefined where it is answered as a call of any tool. */
  writeResult(item: WireFields, results: readonly ToolResultItem[]): JsonObject | undefined {
    for (const codec of Object.values(this.#options.codecs)) {
      const written = codec.writeResult?.(item, results);
      if (written !== undefined) return written;
    }
    return undefined;
  }

  #declared({ deferredTools = none, providerTools = none }: TypedRequest): readonly DeclaredTool[] {
    if (providerTools.length === 0) return none;
    const { codecs } = this.#options;
    return providerTools.flatMap((tool) => {
      const codec = Object.hasOwn(codecs, tool.kind) ? codecs[tool.kind] : undefined;
      const comesLater = deferredTools.some(({ name }) => tool.uses.includes(name));
      return codec === undefined || comesLater ? [] : [{ tool, codec, wire: this.#wireOf(tool, codec) }];
    });
  }

  #taken(name: string): PromptValidationError {
    return new PromptValidationError(
      `The prompt has a tool "${name}", which is the name of a provider tool of the ${this.#options.adapter} adapter beside it. Rename the tool, or leave the provider tool out.`,
      { details: { tool: name } },
    );
  }

  #wireOf(tool: ProviderTool, codec: ProviderToolCodec): HostedToolWire {
    const known = this.#wires.get(tool);
    if (known !== undefined) return known;
    const wire = codec.declare(tool, this.#options.model);
    // Codecs are user code.
    if (!isWire(wire)) {
      throw new PromptValidationError(
        `The codec for the provider tool "${tool.kind}" returned something else from declare() than { tools }, a list of objects in the provider's format.`,
        { details: { kind: tool.kind } },
      );
    }
    this.#wires.set(tool, wire);
    return wire;
  }
}

function isWire(wire: unknown): boolean {
  return isSchemaObject(wire) && Array.isArray(wire['tools']) && wire['tools'].every(isSchemaObject);
}

function readCalls(
  item: WireFields,
  declared: readonly DeclaredTool[],
  named: ReadonlyMap<string, ModelTool>,
): ReturnType<TypedTools['readCalls']> {
  for (const { codec, tool } of declared) {
    let calls: readonly ProviderCall[] | undefined;
    try {
      calls = codec.readCalls(item, { tool, toolNamed: (name) => named.get(name) });
    } catch (cause) {
      if (ModelResponseError.isInstance(cause)) throw cause;
      throw new ModelResponseError(
        'model-response-invalid',
        `What the answer asks of the provider tool "${tool.kind}" cannot be read: ${describeError(cause)}`,
        { cause, details: { kind: tool.kind } },
      );
    }
    if (calls !== undefined) return { kind: tool.kind, calls };
  }
  return undefined;
}

function unchoosable(name: string, why: string): PromptValidationError {
  return new PromptValidationError(
    `The option toolChoice cannot name "${name}" here: ${why}. Leave it out, or ask for the tool in the instructions.`,
    { details: { option: 'toolChoice', tool: name } },
  );
}

/**
 * The calls of an item as parts of a turn. The first one has the id of the item, and those after it get others.
 *
 * @param isComplete whether the item is complete; undefined where the provider does not say.
 */
export function typedCallParts(
  { kind, calls }: { readonly kind: string; readonly calls: readonly ProviderCall[] },
  callId: string,
  callIds: DistinctCallIds,
  isComplete: boolean | undefined,
): readonly ToolCallPart[] {
  return calls.map(({ arguments: given, name, problem }, index) => ({
    type: 'tool-call',
    callId: index === 0 ? callId : callIds.take(`${callId}_${index + 1}`),
    name,
    arguments: JSON.stringify(given),
    providerKind: kind,
    ...present({ problem, isComplete }),
  }));
}

/** An item of an answer whose calls are answered together. */
interface TypedItem {
  readonly item: WireFields;
  /** The ids of its calls, in their order. */
  readonly callIds: readonly string[];
  readonly results: Map<string, ToolResultItem>;
}

/** The items of one turn whose calls came in the shape of provider tools, by the ids of those calls. */
export class TypedItems {
  readonly #items = new Map<string, TypedItem>();

  /**
   * @param items those of the provider that may be of such a shape.
   * @param idOf the id of an item; undefined for one that asks for nothing.
   */
  constructor(
    { content }: AssistantItem,
    items: readonly WireFields[],
    idOf: (item: WireFields) => string | undefined,
  ) {
    const typed = content.filter(isTyped);
    if (typed.length === 0) return;
    const byId = new Map(items.map((item) => [idOf(item), item]));
    let callIds: string[] = [];
    let current: TypedItem | undefined;
    for (const { callId } of typed) {
      const item = byId.get(callId);
      if (item !== undefined) {
        callIds = [];
        current = { item, callIds, results: new Map() };
      }
      if (current === undefined) continue;
      callIds.push(callId);
      this.#items.set(callId, current);
    }
  }

  /** Takes the result of a call. @returns the item and all of its results once they are there; `waiting` before that; undefined for a call of no such item. */
  take(
    result: ToolResultItem,
  ): { readonly item: WireFields; readonly results: readonly ToolResultItem[] } | 'waiting' | undefined {
    const typed = this.#items.get(result.callId);
    if (typed === undefined) return undefined;
    typed.results.set(result.callId, result);
    if (typed.results.size < typed.callIds.length) return 'waiting';
    return { item: typed.item, results: typed.callIds.flatMap((id) => typed.results.get(id) ?? none) };
  }
}

function isTyped(part: AssistantPart): part is ToolCallPart {
  return part.type === 'tool-call' && part.providerKind !== undefined;
}
