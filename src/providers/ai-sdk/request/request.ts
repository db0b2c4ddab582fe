import { PromptValidationError } from '../../../core/error/index.ts';
import { isRecord, none, present } from '../../../core/internal/index.ts';
import type { ModelCheck, ModelRequest, ToolChoice } from '../../../core/runtime/index.ts';
import type { JsonObject, JsonSchema, SchemaProjection } from '../../../core/schema/index.ts';
import type { HostedTool, Logger, ModelSettings } from '../../../core/tool/index.ts';
import {
  type CallIdForm,
  choiceAmongAll,
  type HostedToolRegistry,
  type HostedToolWire,
  hostedChoice,
  joinHeaders,
  namespacesOf,
  type ProjectedTool,
  type ProviderToolRegistry,
  placeTools,
  stringFields,
  type ToolSchemas,
  type TypedTools,
  withToolSearch,
} from '../../kit/index.ts';
import { foreignName } from '../typed/codecs.ts';
import type {
  AiSdkCallOptions,
  AiSdkFunctionTool,
  AiSdkProviderTool,
  AiSdkToolChoice,
  AiSdkVersion,
  ProviderOptions,
  WireObject,
} from '../wire/call-options.ts';
import type { FileForm } from '../wire/files.ts';
import { markPrefixes } from './cache-marks.ts';
import { type ClaudeOptions, checkClaude, toClaudeThinking } from './claude-thinking.ts';
import { broughtBy, declaredTools, type OpenedToolsForm, toOpenAITool } from './opened-tools.ts';
import type { AskedPackage } from './package-settings.ts';
import { type AiSdkCachingPlan, checkCacheOptions, markEnds, openaiCacheOptions } from './prompt-caching.ts';
import { toPrompt } from './prompt-messages.ts';
import { addToProviderOptions, mergeProviderOptions, readSettings } from './request-settings.ts';

/** Settings of the adapter for its requests. */
export interface RequestContext<Version extends AiSdkVersion> {
  readonly asked: AskedPackage;
  readonly files: FileForm<Version>;
  /** Name that identifies the model's own answers. */
  readonly provider: string;
  /** The first part of the model's own provider name: the key of its provider options. */
  readonly family: string;
  /** How tools of opened sections go where they were opened; undefined: they are appended. */
  readonly openedTools: OpenedToolsForm | undefined;
  /** Settings of the adapter; later ones take precedence. */
  readonly settings: readonly ModelSettings[];
  readonly projections: ToolSchemas;
  readonly registry: HostedToolRegistry;
  readonly providerTools: ProviderToolRegistry;
  /** The form of call ids that the provider accepts. */
  readonly callIds: CallIdForm;
  /** What is known of a model that is Claude; undefined for others. */
  readonly claude: ClaudeOptions | undefined;
  /** What requests say about the cache of their provider. */
  readonly caching: AiSdkCachingPlan;
}

/** A request with what is needed to read its answer. */
export interface PreparedAiSdkRequest<Version extends AiSdkVersion = AiSdkVersion> {
  readonly options: Omit<AiSdkCallOptions<Version>, 'abortSignal'>;
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
  /** The hosted tools of the prompt, by the provider's names for them. */
  readonly hostedNames: ReadonlyMap<string, HostedTool>;
  /** The provider tools that it declares. Absent: none. */
  readonly typed?: TypedTools | undefined;
  /** True when the next request is compared with the answer of this one; absent otherwise. */
  readonly keepsResponseId?: boolean;
}

/** Who gets to know what is not sent. */
export interface RequestListener {
  readonly logger: Logger;
  /** Called when a request is made without the thinking that the settings ask for. */
  onThinkingOff(): void;
}

/**
 * Checks a request before it is made.
 *
 * @throws {PromptValidationError} for a setting, a hosted tool or a tool choice that the model does not support.
 */
export function checkRequest<Version extends AiSdkVersion>(
  check: ModelCheck,
  context: RequestContext<Version>,
): void {
  const { tools, hostedTools, settings, toolChoice } = check;
  const asked = readSettings(context.asked, context.settings, settings);
  const { providerOptions } = asked;
  checkCacheOptions(providerOptions, context.caching);
  const wires = context.registry.check(hostedTools);
  for (const { tools: own, request = {}, requires = [] } of wires) {
    toProviderTools([...own, ...requires], tools);
    addToProviderOptions(providerOptions, request);
  }
  const { providerTools } = context;
  const shown = searched(check, context);
  const typed = providerTools.declare(shown);
  if (typed !== undefined) toProviderTools(typed.tools, notIn(typed.replaced, tools));
  toWireChoice(shown, wires, context);
  refuseOwnChoice(toolChoice, providerOptions);
  if (context.claude !== undefined) checkClaude(toolChoice, asked, context.claude);
}

/** With the search that opens sections, for a model that opens them so. */
function searched<Request extends Pick<ModelRequest, 'tools' | 'providerTools'>>(
  request: Request,
  { openedTools }: Pick<RequestContext<AiSdkVersion>, 'openedTools'>,
): Request {
  return openedTools === 'openai-search' ? withToolSearch(request) : request;
}

function notIn(replaced: ReadonlySet<string>, tools: ModelRequest['tools']): ModelRequest['tools'] {
  return tools.filter(({ name }) => !replaced.has(name));
}

/**
 * The request for one turn.
 *
 * @throws {PromptValidationError} as `checkRequest` throws it.
 */
export function prepareRequest<Version extends AiSdkVersion>(
  request: ModelRequest,
  context: RequestContext<Version>,
  { logger, onThinkingOff }: RequestListener,
): PreparedAiSdkRequest<Version> {
  const { projections, providerTools, registry, files, provider, callIds } = context;
  const { conversation } = request;
  const { headers, ...asked } = readSettings(context.asked, context.settings, request.settings);
  const thinking = context.claude && toClaudeThinking(asked, conversation, context.claude);
  if (thinking?.isRefused === true) onThinkingOff();
  const { providerOptions: _options, reasoning: _effort, ...settings } = asked;
  const { providerOptions, reasoning } = thinking ?? asked;
  const placed = placeTools(request);
  const projected = projections.project({ ...request, tools: placed.declared }, logger);
  const typed = providerTools.declare(searched(request, context));
  const functionTools = projected.tools
    .filter(({ tool }) => typed?.replaced.has(tool.name) !== true)
    .map(toFunctionTool);
  const hosted = registry.serialize(request.hostedTools, logger);
  const wires = registry.check(request.hostedTools);
  const hostedNames = nameHosted(request.hostedTools, wires);
  const allHeaders = joinHeaders(headers, { ...hosted.headers, ...typed?.headers });
  const choice = toWireChoice(searched(request, context), wires, context);
  const allOptions = addToProviderOptions(
    mergeProviderOptions(
      strictness(projected.answer, context.family),
      providerOptions,
      choice.providerOptions,
      ...(context.caching.openai === undefined
        ? none
        : [openaiCacheOptions(context.caching.openai, request, provider)]),
    ),
    hosted.request,
  );
  const plain = {
    // Hosted tools are before the others, so that the tools of opened sections are only appended.
    tools: [
      ...toProviderTools(hosted.tools, request.tools),
      ...(typed === undefined ? [] : toProviderTools(typed.tools, notIn(typed.replaced, request.tools))),
      ...declaredTools(functionTools, placed, context.openedTools),
    ],
    prompt: toPrompt(conversation, {
      instructions: request.instructions,
      provider,
      files,
      callIds,
      providerTools,
      foreignName: (name) => foreignName(name, typed?.tools ?? none),
      withoutThinkingFrom: thinking?.withoutThinkingFrom ?? conversation.length,
      broughtBy: (item) => broughtBy(item, functionTools, placed, context.openedTools),
      namespacesOf: (names) =>
        namespacesOf(
          names.filter((name) => placed.inPlace.has(name)),
          request,
          projected.tools,
          (each) => toOpenAITool(toFunctionTool(each)),
        ),
    }),
  };
  // If a caller sets a breakpoint, no others are added.
  const { claude, openai } = context.caching;
  const marks = allOptions['anthropic']?.['cacheControl'] === undefined ? claude : undefined;
  const { prompt, tools } =
    marks !== undefined
      ? markPrefixes(plain, marks)
      : openai?.markTtl === undefined
        ? plain
        : { ...plain, prompt: markEnds(plain.prompt, openai.markTtl) };
  return {
    toolSchemas: new Map(projected.tools.map(({ tool, schema }) => [tool.name, schema])),
    answerSchema: projected.answer,
    hostedNames,
    typed,
    keepsResponseId: openai?.diagnoses === true,
    options: {
      ...settings,
      // An error for version 3 when the settings were read; and the type has no `max`.
      ...present({
        reasoning: reasoning as (AiSdkCallOptions<Version>['reasoning'] & string) | undefined,
      }),
      prompt,
      ...present({
        tools: tools.length === 0 ? undefined : [...tools],
        toolChoice: tools.length === 0 ? undefined : choice.toolChoice,
        responseFormat:
          projected.answer === undefined
            ? undefined
            : { type: 'json', name: 'answer', schema: toWire(projected.answer.schema) },
        headers: Object.keys(allHeaders).length === 0 ? undefined : allHeaders,
        providerOptions: Object.keys(allOptions).length === 0 ? undefined : allOptions,
      }),
    },
  };
}

/**
 * Packages that support strict answers enable them by default, even for schemas that do not fit. Other packages ignore the
 * option.
 */
function strictness(answer: SchemaProjection | undefined, family: string): ProviderOptions {
  return answer === undefined || answer.strict ? {} : { [family]: { strictJsonSchema: false } };
}

function toFunctionTool({ tool, schema: { schema, strict } }: ProjectedTool): AiSdkFunctionTool {
  const { name, description } = tool;
  return { type: 'function', name, description, inputSchema: toWire(schema), strict };
}

function toWire(schema: JsonSchema): WireObject {
  // The models' types have no read-only lists; no model writes into them.
  return schema as WireObject;
}

/** The tools from codecs, checked: they must have the form of the AI SDK, and names that differ from those of the tools of the prompt. */
function toProviderTools(given: readonly JsonObject[], tools: ModelRequest['tools']): AiSdkProviderTool[] {
  return given.map((tool) => {
    if (!isProviderTool(tool)) {
      throw new PromptValidationError(
        'A codec for hosted tools of the AI SDK must return tools of the form { type: "provider", id: "provider.tool", name, args }.',
        { details: { option: 'hostedToolCodecs' } },
      );
    }
    if (tools.some(({ name }) => name === tool.name)) {
      throw new PromptValidationError(
        `The tool "${tool.name}" has the same name as the provider's own tool ${tool.id}. Rename it.`,
        { details: { tool: tool.name, providerTool: tool.id } },
      );
    }
    return tool;
  });
}

function isProviderTool(tool: object): tool is AiSdkProviderTool {
  const { type, id, name, args }: { readonly [Key in keyof AiSdkProviderTool]?: unknown } = tool;
  return type === 'provider' && typeof id === 'string' && typeof name === 'string' && isRecord(args);
}

function nameHosted(
  hostedTools: readonly HostedTool[],
  wires: readonly HostedToolWire[],
): ReadonlyMap<string, HostedTool> {
  const names = wires.map(({ tools }) => tools.map(({ name }) => name));
  return new Map(
    hostedTools.flatMap((tool, index) =>
      (names[index] ?? []).flatMap((name): [string, HostedTool][] =>
        typeof name === 'string' ? [[name, tool]] : [],
      ),
    ),
  );
}

/** Google can only choose among functions. */
const withoutChoice = /^google\./;

/** A choice in the format of the AI SDK. */
interface WireChoice {
  readonly toolChoice: AiSdkToolChoice;
  readonly providerOptions: ProviderOptions;
}

/** Tools of OpenAI that can be among the allowed ones. */
const allowable =
  /^openai\.(?:web_search(?:_preview)?|file_search|image_generation|code_interpreter|mcp|custom|computer|apply_patch|shell)$/;

/**
 * A hosted tool is chosen by the provider's name for it. Only the package of OpenAI can restrict the tools of a request; it takes that in the place of the choice.
 *
 * @throws {PromptValidationError} for one that the provider cannot be forced to use, such as a server that is not a tool of the request.
 */
function toWireChoice<Version extends AiSdkVersion>(
  request: Pick<ModelRequest, 'toolChoice' | 'hostedTools' | 'tools' | 'providerTools' | 'deferredTools'>,
  wires: readonly HostedToolWire[],
  { asked, providerTools }: Pick<RequestContext<Version>, 'asked' | 'providerTools'>,
): WireChoice {
  const { hostedTools, toolChoice: choice } = request;
  if (typeof choice === 'string') return { toolChoice: { type: choice }, providerOptions: {} };
  const hosted = (tool: string, isUsable: (id: string) => boolean): string | undefined =>
    hostedChoice(tool, hostedTools, wires, 'the provider', ({ id, name }) =>
      typeof name !== 'string' || (typeof id === 'string' && !isUsable(id)) ? undefined : name,
    );
  if ('tool' in choice) {
    const { tool } = choice;
    const toolName = hosted(tool, (id) => !withoutChoice.test(id));
    const typed = toolName === undefined ? providerTools.choiceOf(tool, request, 'force') : undefined;
    return {
      // The codec determines the choice of a provider tool.
      toolChoice: (typed as AiSdkToolChoice | undefined) ?? { type: 'tool', toolName: toolName ?? tool },
      providerOptions: {},
    };
  }
  if (asked.provider !== 'openai.responses') {
    const type = choiceAmongAll(choice, hostedTools, 'the provider');
    return { toolChoice: { type }, providerOptions: {} };
  }
  const mode = choice.required === true ? 'required' : 'auto';
  const toolNames = choice.allowed.map((tool) => {
    const name = hosted(tool, (id) => allowable.test(id));
    return (
      name ??
      stringFields({ name: providerTools.choiceOf(tool, request, 'allow')?.['toolName'] }).name ??
      tool
    );
  });
  return { toolChoice: { type: mode }, providerOptions: { openai: { allowedTools: { toolNames, mode } } } };
}

/** @throws {PromptValidationError} for a choice beside the one in options of the package, which would take its place in every turn. */
function refuseOwnChoice(choice: ToolChoice, { openai }: ProviderOptions): void {
  if (choice === 'auto' || openai?.['allowedTools'] === undefined) return;
  throw new PromptValidationError(
    'There are both toolChoice and providerOptions.openai.allowedTools, which are the same. Keep one.',
    { details: { option: 'toolChoice' } },
  );
}
