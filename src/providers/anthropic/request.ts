import { PromptValidationError } from '../../core/error/index.ts';
import { none, present } from '../../core/internal/index.ts';
import { describeAnswerFormat } from '../../core/prompt/index.ts';
import type { ModelCheck, ModelRequest } from '../../core/runtime/index.ts';
import {
  isSchemaObject,
  type JsonObject,
  type JsonSchema,
  type SchemaProjection,
  wrapperKey,
} from '../../core/schema/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import {
  choiceAmongAll,
  type HostedToolRegistry,
  hostedChoice,
  isOff,
  lastResponseId,
  mayThink,
  type PlacedTools,
  type PreparedRequest,
  type ProjectedTool,
  type ProviderToolRegistry,
  placeTools,
  stringFields,
  type ToolSchemas,
  withoutBudgetThinking,
} from '../kit/index.ts';
import { lastContainer, thinkingReader, toMessages } from './messages.ts';
import { type AnthropicSettings, mergeSettings } from './request-settings.ts';
import {
  type AnthropicFunctionTool,
  type AnthropicRequest,
  type AnthropicToolChoice,
  type Cacheable,
  type CacheControl,
  isCompaction,
  isThinking,
  type Message,
} from './wire.ts';

/** What requests say about the cache. */
export interface ClaudeCachingPlan {
  /** The mark after tools and instructions. */
  readonly prefix: CacheControl;
  /** The mark in the conversation. */
  readonly conversation: CacheControl;
  /** Whether the provider compares each request with the one before. */
  readonly diagnoses: boolean;
}

/** Settings of the adapter for its requests. */
export interface AnthropicRequestParts {
  readonly model: string;
  /** Name that identifies the adapter's own items. */
  readonly provider: string;
  readonly maxTokens: number;
  readonly settings: AnthropicSettings;
  readonly betas: readonly string[];
  /** What requests say about the cache; undefined: it is off. */
  readonly caching: ClaudeCachingPlan | undefined;
  readonly projections: ToolSchemas;
  readonly registry: HostedToolRegistry;
  readonly providerTools: ProviderToolRegistry;
  readonly logger: Logger;
  /** Called when a request is made without the thinking that the settings ask for. */
  onThinkingOff(): void;
}

/** A request with what is needed to read its answer. */
export type PreparedAnthropicRequest = PreparedRequest<AnthropicRequest>;

/**
 * Creates the request for one turn.
 *
 * @throws {PromptValidationError} for a hosted tool that the provider does not support, a setting that the adapter
 * controls, and an image or file of an unsupported type.
 */
export function prepareRequest(
  request: ModelRequest,
  options: AnthropicRequestParts,
): PreparedAnthropicRequest {
  const { conversation, hostedTools, instructions, outputSchema } = request;
  const merged = mergeSettings(options.settings, request.settings);
  const { disable_parallel_tool_use: oneByOne, ...settings } = toThinkingOf(merged, conversation, options);
  const placed = placeTools(request);
  const { tools, answer } = options.projections.project(
    { ...request, tools: placed.declared },
    options.logger,
  );
  // The provider rejects a schema that it cannot enforce; the model then gets it in the instructions.
  const answerSchema = answer?.strict === true ? answer : undefined;
  const hosted = options.registry.serialize(hostedTools, options.logger);
  const container = toContainer(
    settings['container'] ?? hosted.request['container'],
    hostedTools.length === 0 ? undefined : lastContainer(conversation, options.provider),
  );
  // The codecs determine the entries of hosted tools.
  const typed = options.providerTools.declare(request);
  const functionTools = tools
    .filter(({ tool }) => typed?.replaced.has(tool.name) !== true)
    .map((each) => toFunctionTool(each, placed));
  const entries = [...hosted.tools, ...(typed?.tools ?? none), ...functionTools] as NonNullable<
    AnthropicRequest['tools']
  >;
  const body: AnthropicRequest = {
    ...hosted.request,
    ...settings,
    ...present({ container }),
    model: options.model,
    max_tokens: Number(settings['max_tokens'] ?? options.maxTokens),
    ...present({
      tools: entries.length === 0 ? undefined : entries,
      tool_choice: entries.length === 0 ? undefined : toWireChoice(request, options, oneByOne),
    }),
    ...toSystem(
      instructions,
      answerSchema === undefined && outputSchema !== undefined ? describeAnswer(outputSchema) : '',
    ),
    messages: toMessages(conversation, options.provider, {
      isThinkingOff: isOff(settings['thinking']),
      inPlace: placed.inPlace,
    }),
    ...present({
      output_config: answerSchema === undefined ? undefined : toOutputConfig(settings, answerSchema),
    }),
  };
  const { caching, provider } = options;
  const diagnoses = caching?.diagnoses === true;
  if (diagnoses) body.diagnostics = { previous_message_id: lastResponseId(conversation, provider) ?? null };
  return {
    body: caching === undefined ? body : markPrefixes(body, caching),
    headers: withBetas(
      { ...hosted.headers, ...typed?.headers },
      diagnoses ? [...options.betas, diagnosisBeta] : options.betas,
    ),
    asked: request,
    keepsResponseId: diagnoses,
    hostedTools,
    typed,
    toolSchemas: new Map(tools.map(({ tool, schema }) => [tool.name, schema])),
    answerSchema,
  };
}

/** The settings, without thinking that the provider would reject for this conversation. */
function toThinkingOf(
  settings: JsonObject,
  conversation: ModelRequest['conversation'],
  { provider, onThinkingOff }: AnthropicRequestParts,
): JsonObject {
  const plain = withoutBudgetThinking(settings);
  if (plain === settings || mayThink(conversation, thinkingReader(provider))) return settings;
  onThinkingOff();
  return plain;
}

function toSystem(...texts: readonly string[]): Pick<AnthropicRequest, 'system'> {
  const system = texts.filter((text) => text.trim() !== '').map((text) => ({ type: 'text' as const, text }));
  return system.length === 0 ? {} : { system };
}

function describeAnswer(schema: JsonSchema): string {
  return describeAnswerFormat(schema, schema['type'] === 'array' ? 'array' : 'object');
}

function toFunctionTool(
  { tool, schema: projection }: ProjectedTool,
  { hidden, inPlace }: Pick<PlacedTools, 'hidden' | 'inPlace'>,
): AnthropicFunctionTool {
  const isDeferred = hidden.has(tool.name) || inPlace.has(tool.name);
  const { schema, strict, isWrapped } = projection;
  const examples = tool.examples.map(({ input }) => (isWrapped ? { [wrapperKey]: input } : (input ?? {})));
  return {
    name: tool.name,
    description: tool.description,
    input_schema: { ...schema, type: 'object' },
    ...present({
      strict: strict ? (true as const) : undefined,
      defer_loading: isDeferred ? (true as const) : undefined,
    }),
    // Examples were checked against the schema of the tool, which is that of an object.
    ...present({
      input_examples:
        examples.length === 0 ? undefined : (examples as AnthropicFunctionTool['input_examples'] & object),
    }),
  };
}

/**
 * @throws {PromptValidationError} for a hosted tool that the provider cannot be forced to use, and for hosted tools as the registry
 * does.
 */
export function toWireChoice(
  request: Pick<ModelCheck, 'toolChoice' | 'hostedTools' | 'providerTools' | 'tools'>,
  { providerTools, registry }: Pick<AnthropicRequestParts, 'providerTools' | 'registry'>,
  oneByOne: JsonObject[string],
): AnthropicToolChoice {
  const { hostedTools, toolChoice } = request;
  const wires = registry.check(hostedTools);
  if (toolChoice === 'none') return { type: 'none' };
  const more = oneByOne === true ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === 'auto') return { type: 'auto', ...more };
  if (toolChoice === 'required') return { type: 'any', ...more };
  if ('allowed' in toolChoice) {
    const choice = choiceAmongAll(toolChoice, hostedTools, 'Anthropic');
    return { type: choice === 'required' ? 'any' : 'auto', ...more };
  }
  const { tool } = toolChoice;
  // A toolset, such as that of a remote server, has no name to choose it by.
  const hosted = hostedChoice(tool, hostedTools, wires, 'Anthropic', ({ name, allowed_callers: callers }) => {
    if (Array.isArray(callers) && !callers.includes('direct')) throw calledByCode(tool);
    return stringFields({ name }).name;
  });
  const typed = hosted === undefined ? providerTools.choiceOf(tool, request, 'force') : undefined;
  // The codec determines the choice of a provider tool.
  if (typed !== undefined) return { ...(typed as AnthropicToolChoice), ...more };
  return { type: 'tool', name: hosted ?? tool, ...more };
}

/** The model cannot be forced to call what only code calls. */
function calledByCode(tool: string): PromptValidationError {
  return new PromptValidationError(
    `The model cannot be forced to use the hosted tool "${tool}", which only code calls. Take filterByCode out of its config, or use toolChoice 'auto' or 'required'.`,
    { details: { option: 'toolChoice', tool } },
  );
}

function toOutputConfig(
  settings: JsonObject,
  { schema }: SchemaProjection,
): NonNullable<AnthropicRequest['output_config']> {
  const { output_config: config } = settings;
  return { ...(isSchemaObject(config) ? config : {}), format: { type: 'json_schema', schema } };
}

/** The container of the caller or a hosted tool; by default that of the conversation. */
function toContainer(asked: JsonObject[string], last: string | undefined): JsonObject[string] {
  if (asked === undefined || asked === null) return last;
  return isSchemaObject(asked) && last !== undefined ? { id: last, ...asked } : asked;
}

function withBetas(
  headers: Readonly<Record<string, string>>,
  betas: readonly string[],
): Readonly<Record<string, string>> {
  const names = new Set([...betas, ...(headers[betaHeader]?.split(',') ?? [])]);
  return names.size === 0 ? headers : { ...headers, [betaHeader]: [...names].join(',') };
}

const betaHeader = 'anthropic-beta';
const diagnosisBeta = 'cache-diagnosis-2026-04-07';

/**
 * The request with cache breakpoints, at most four: after the tools, after the instructions, after the conversation, and at
 * the end of the previous request's conversation, so that a request finds that prefix regardless of how much one turn added. Marked
 * blocks are copies; the conversation is not modified.
 */
export function markPrefixes(
  body: AnthropicRequest,
  { prefix, conversation }: Pick<ClaudeCachingPlan, 'prefix' | 'conversation'>,
): AnthropicRequest {
  const { tools, system, messages } = body;
  return {
    ...body,
    ...present({
      tools: tools === undefined ? undefined : markLast(tools, prefix),
      system: system === undefined ? undefined : markLast(system, prefix),
    }),
    messages: markMessages(messages, conversation),
  };
}

function markMessages(messages: readonly Message[], control: CacheControl): Message[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) =>
    index === messages.length - 1 || index === lastAnswer - 1 ? markMessage(message, control) : message,
  );
}

function markMessage(message: Message, control: CacheControl): Message {
  return message.role === 'user'
    ? { ...message, content: markLast(message.content, control) }
    : { ...message, content: markLast(message.content, control) };
}

/** Marks the last block that can have a breakpoint: any but thinking, a summary, which goes back as it came, and a tool that comes later. */
function markLast<Entry extends Cacheable>(entries: readonly Entry[], control: CacheControl): Entry[] {
  const last = entries.findLastIndex(
    (entry) => !isThinking(entry) && !isCompaction(entry) && Reflect.get(entry, 'defer_loading') !== true,
  );
  return entries.map((entry, index) => (index === last ? { ...entry, cache_control: control } : entry));
}
