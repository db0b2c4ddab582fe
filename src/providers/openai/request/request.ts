import { none, present } from '../../../core/internal/index.ts';
import type { ModelCheck, ModelRequest } from '../../../core/runtime/index.ts';
import { isSchemaObject, type JsonObject, type SchemaProjection } from '../../../core/schema/index.ts';
import type { HostedTool, Logger, ToolChoice } from '../../../core/tool/index.ts';
import {
  type ChoicePurpose,
  type HostedToolRegistry,
  type HostedToolWire,
  hostedChoice,
  namespacesOf,
  type OpenAICachingPlan,
  type PreparedRequest,
  type ProjectedTool,
  type ProviderToolRegistry,
  placeTools,
  type ToolSchemas,
  withToolSearch,
} from '../../kit/index.ts';
import type { OpenAIHostedWire } from '../hosted/codecs.ts';
import type {
  IncludedData,
  OpenAIFunctionTool,
  OpenAINamedTool,
  OpenAIRequest,
  OpenAIToolChoice,
  OpenAITypedTool,
} from '../wire/wire.ts';
import { toInputItems } from './input-items.ts';
import { cacheMark, cacheMembers, checkCacheSettings } from './prompt-caching.ts';
import { mergeSettings, toWireSettings } from './request-settings.ts';

/** Settings of the adapter for its requests. */
export interface OpenAIRequestParts {
  readonly model: string;
  /** Name that identifies the adapter's own items. */
  readonly provider: string;
  /** Settings of the adapter, in the provider's format. */
  readonly settings: JsonObject;
  readonly encryptedReasoning: boolean;
  /** What requests say about the cache; undefined for nothing. */
  readonly caching: OpenAICachingPlan | undefined;
  readonly projections: ToolSchemas;
  readonly registry: HostedToolRegistry;
  readonly providerTools: ProviderToolRegistry;
  /** Whether sections are opened by a search. */
  readonly searchesTools: boolean;
}

/** A request with what is needed to read its response. */
export type PreparedOpenAIRequest = PreparedRequest<OpenAIRequest>;

/** The parts of a request that do not depend on the conversation. */
export interface CheckedRequest {
  /** Settings of the evaluation, in the provider's format. */
  readonly settings: JsonObject;
  readonly toolChoice: OpenAIToolChoice;
}

/** @throws {PromptValidationError} for settings, hosted tools or a tool choice that the provider does not support. */
export function checkRequest(
  asked: ModelCheck,
  {
    caching,
    providerTools,
    registry,
    searchesTools,
  }: Pick<OpenAIRequestParts, 'caching' | 'providerTools' | 'registry' | 'searchesTools'>,
): CheckedRequest {
  const check = searchesTools ? withToolSearch(asked) : asked;
  const { hostedTools, settings, toolChoice } = check;
  const wires = registry.check(hostedTools);
  providerTools.declare(check);
  const wireSettings = toWireSettings(settings);
  checkCacheSettings(wireSettings, caching);
  return {
    settings: wireSettings,
    toolChoice: toWireChoice(toolChoice, hostedTools, wires, (name, purpose) =>
      providerTools.choiceOf(name, check, purpose),
    ),
  };
}

/**
 * The request for one turn. Hosted tools are before the others, so that the tools of opened sections are only appended.
 *
 * @throws {PromptValidationError} as {@link checkRequest} throws it.
 */
export function prepareRequest(
  request: ModelRequest,
  options: OpenAIRequestParts,
  logger: Logger,
): PreparedOpenAIRequest {
  const { hostedTools, instructions } = request;
  const checked = checkRequest(request, options);
  const settings = mergeSettings(options.settings, checked.settings);
  const placed = placeTools(request);
  const projected = options.projections.project({ ...request, tools: placed.declared }, logger);
  const { answer: answerSchema } = projected;
  const typed = options.providerTools.declare(options.searchesTools ? withToolSearch(request) : request);
  const tools = projected.tools.filter(
    ({ tool: { name } }) =>
      !placed.inPlace.has(name) && !placed.hidden.has(name) && typed?.replaced.has(name) !== true,
  );
  const hosted = options.registry.serialize(hostedTools, logger);
  // The codecs determine the entries of hosted and provider tools.
  const declared = [
    ...(hosted.tools as readonly OpenAIHostedWire[]),
    ...((typed?.tools ?? none) as readonly OpenAITypedTool[]),
    ...tools.map(toFunctionTool),
  ];
  const store = settings['store'] === true;
  const include = includedData(settings, [
    ...(options.encryptedReasoning && !store ? ['reasoning.encrypted_content'] : []),
    ...hosted.include,
  ]);
  const wireTools = new Map(
    placed.inPlace.size === 0 ? none : projected.tools.map((each) => [each.tool.name, toFunctionTool(each)]),
  );
  const { caching } = options;
  return {
    headers: typed === undefined ? hosted.headers : { ...hosted.headers, ...typed.headers },
    typed,
    toolSchemas: new Map(projected.tools.map(({ tool, schema }) => [tool.name, schema])),
    answerSchema,
    hostedTools,
    asked: request,
    keepsResponseId: caching?.diagnoses === true,
    body: {
      ...hosted.request,
      ...settings,
      model: options.model,
      instructions,
      input: toInputItems(request.conversation, options.provider, {
        providerTools: options.providerTools,
        toolNamed: (name) => (placed.inPlace.has(name) ? wireTools.get(name) : undefined),
        namespacesOf: (names) =>
          namespacesOf(
            names.filter((name) => placed.inPlace.has(name)),
            request,
            projected.tools,
            (each) => ({ ...toFunctionTool(each) }),
          ),
        mark: cacheMark(caching),
      }),
      store,
      ...present({
        include: include.length === 0 ? undefined : include,
        tools: declared.length === 0 ? undefined : declared,
        tool_choice: declared.length === 0 ? undefined : checked.toolChoice,
        parallel_tool_calls:
          tools.length === 0 && typed === undefined ? undefined : settings['parallel_tool_calls'] !== false,
        text: answerSchema === undefined ? undefined : toText(settings, answerSchema),
      }),
      ...(caching === undefined ? undefined : cacheMembers(caching, request, options.provider)),
    },
  };
}

function includedData(settings: JsonObject, own: readonly string[]): IncludedData[] {
  const asked = settings['include'];
  // Names from codecs and callers are passed on unchanged; the provider validates them.
  return [...new Set([...own, ...(Array.isArray(asked) ? asked : [])])] as IncludedData[];
}

/** A tool in the provider's format. */
export function toFunctionTool({ tool, schema: { schema, strict } }: ProjectedTool): OpenAIFunctionTool {
  return { type: 'function', name: tool.name, description: tool.description, parameters: schema, strict };
}

function toText(
  settings: JsonObject,
  { schema, strict }: SchemaProjection,
): NonNullable<OpenAIRequest['text']> {
  const { text } = settings;
  return {
    ...(isSchemaObject(text) ? text : {}),
    format: { type: 'json_schema', name: 'answer', schema, strict },
  };
}

/**
 * @param wires the serialized hosted tools.
 * @param typedChoice the choice of a provider tool in the place of a tool; undefined for any other tool. Default: there are no provider tools.
 * @throws {PromptValidationError} for a hosted or provider tool that the provider has no name for, so that it can neither be forced nor allowed.
 */
export function toWireChoice(
  choice: ToolChoice,
  hostedTools: readonly HostedTool[],
  wires: readonly HostedToolWire[],
  typedChoice: (name: string, purpose: ChoicePurpose) => JsonObject | undefined = () => undefined,
): OpenAIToolChoice {
  if (typeof choice === 'string') return choice;
  const named = (tool: string, purpose: ChoicePurpose): OpenAINamedTool =>
    hostedChoice(tool, hostedTools, wires, 'OpenAI', toHostedChoice) ??
    // The codec determines the choice of a provider tool.
    (typedChoice(tool, purpose) as OpenAINamedTool | undefined) ?? { type: 'function', name: tool };
  if ('tool' in choice) return named(choice.tool, 'force');
  const { allowed, required } = choice;
  const tools = allowed.map((tool) => named(tool, 'allow'));
  return { type: 'allowed_tools', mode: required === true ? 'required' : 'auto', tools };
}

function toHostedChoice(tool: JsonObject): OpenAINamedTool | undefined {
  switch (tool['type']) {
    case 'web_search':
    case 'file_search':
    case 'code_interpreter':
    case 'image_generation':
      // The API accepts all four; the vendor's types do not have the current web search yet.
      return { type: tool['type'] } as OpenAINamedTool;
    case 'mcp': {
      const { server_label: label } = tool;
      return typeof label === 'string' ? { type: 'mcp', server_label: label } : undefined;
    }
    default:
      return undefined;
  }
}
