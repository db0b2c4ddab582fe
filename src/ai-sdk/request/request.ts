import { PromptValidationError } from '../../error/index.ts';
import { isRecord } from '../../internal/index.ts';
import {
  type CallIdForm,
  type HostedToolRegistry,
  type HostedToolWire,
  type ProjectedTool,
  refuseHostedChoice,
  type ToolSchemas,
} from '../../provider/internal.ts';
import type { ModelCheck, ModelRequest, ToolChoice } from '../../runtime/index.ts';
import type { JsonObject, JsonSchema, SchemaProjection } from '../../schema/index.ts';
import type { HostedTool, Logger, ModelSettings } from '../../tool/index.ts';
import type {
  AiSdkCallOptions,
  AiSdkToolChoice,
  AiSdkVersion,
  FunctionTool,
  ProviderOptions,
  ProviderTool,
  WireObject,
} from '../wire/call-options.ts';
import type { FileForm } from '../wire/files.ts';
import { markPrefixes } from './cache-marks.ts';
import { toPrompt } from './prompt-messages.ts';
import { addToProviderOptions, mergeProviderOptions, readSettings } from './request-settings.ts';

/** What a request is made with, beside what the run asks for. */
export interface RequestContext<Version extends AiSdkVersion> {
  readonly version: Version;
  readonly files: FileForm<Version>;
  /** Name under which the model's own answers are known again. */
  readonly provider: string;
  /** The first part of the model's own provider name: the key of its provider options. */
  readonly family: string;
  /** Settings of the adapter, later ones over earlier ones. */
  readonly settings: readonly ModelSettings[];
  readonly projections: ToolSchemas;
  readonly registry: HostedToolRegistry;
  /** What the provider takes as the id of a call. */
  readonly callIds: CallIdForm;
  /** Marks the end of what the provider is to keep; undefined: nothing is marked. */
  readonly cacheMark: ProviderOptions | undefined;
}

/** A request with what is needed to read its answer. */
export interface PreparedRequest<Version extends AiSdkVersion = AiSdkVersion> {
  readonly options: Omit<AiSdkCallOptions<Version>, 'abortSignal'>;
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
  /** The hosted tools of the prompt, by the names that their provider has for them. */
  readonly hostedNames: ReadonlyMap<string, HostedTool>;
}

/**
 * Checks a request before it is made.
 *
 * @throws {PromptValidationError} for a setting, a hosted tool or a tool choice that the model does not support.
 */
export function checkRequest<Version extends AiSdkVersion>(
  { tools, hostedTools, settings, toolChoice }: ModelCheck,
  context: RequestContext<Version>,
): void {
  const { providerOptions } = readSettings(context.version, ...context.settings, settings);
  const wires = context.registry.check(hostedTools);
  for (const { tools: own, request = {} } of wires) {
    toProviderTools(own, tools);
    addToProviderOptions(providerOptions, request);
  }
  toWireChoice(toolChoice, hostedTools, wires);
}

/**
 * The request for one turn.
 *
 * @throws {PromptValidationError} for whatever `checkRequest` throws for.
 */
export function prepareRequest<Version extends AiSdkVersion>(
  request: ModelRequest,
  context: RequestContext<Version>,
  logger: Logger,
): PreparedRequest<Version> {
  const { version, projections, registry, files, provider, callIds } = context;
  const { providerOptions, headers, reasoning, ...settings } = readSettings(
    version,
    ...context.settings,
    request.settings,
  );
  const projected = projections.project(request, logger);
  const hosted = registry.serialize(request.hostedTools, logger);
  const wires = registry.check(request.hostedTools);
  const hostedNames = nameHosted(request.hostedTools, wires);
  const allHeaders = { ...headers, ...hosted.headers };
  const allOptions = addToProviderOptions(
    mergeProviderOptions(strictness(projected.answer, context.family), providerOptions),
    hosted.request,
  );
  const plain = {
    // Hosted tools stand before the others: those of sections that are opened then change nothing about what was sent.
    tools: [...toProviderTools(hosted.tools, request.tools), ...projected.tools.map(toFunctionTool)],
    prompt: toPrompt(request.conversation, {
      instructions: request.instructions,
      provider,
      files,
      callIds,
    }),
  };
  // If a caller sets a breakpoint, no others are added.
  const mark = allOptions['anthropic']?.['cacheControl'] === undefined ? context.cacheMark : undefined;
  const { prompt, tools } = mark === undefined ? plain : markPrefixes(plain, mark);
  return {
    toolSchemas: new Map(projected.tools.map(({ tool, schema }) => [tool.name, schema])),
    answerSchema: projected.answer,
    hostedNames,
    options: {
      ...settings,
      // Refused for version 3 when the settings were read.
      ...(reasoning === undefined
        ? {}
        : { reasoning: reasoning as AiSdkCallOptions<Version>['reasoning'] & string }),
      prompt,
      ...(tools.length === 0
        ? {}
        : { tools: [...tools], toolChoice: toWireChoice(request.toolChoice, request.hostedTools, wires) }),
      ...(projected.answer === undefined
        ? {}
        : { responseFormat: { type: 'json', name: 'answer', schema: toWire(projected.answer.schema) } }),
      ...(Object.keys(allHeaders).length === 0 ? {} : { headers: allHeaders }),
      ...(Object.keys(allOptions).length === 0 ? {} : { providerOptions: allOptions }),
    },
  };
}

/**
 * Packages that can be strict about the answer are so by default, also where its schema is not made
 * for that. The others do not know the option.
 */
function strictness(answer: SchemaProjection | undefined, family: string): ProviderOptions {
  return answer === undefined || answer.strict ? {} : { [family]: { strictJsonSchema: false } };
}

function toFunctionTool({ tool, schema: { schema, strict } }: ProjectedTool): FunctionTool {
  const { name, description } = tool;
  return { type: 'function', name, description, inputSchema: toWire(schema), strict };
}

function toWire(schema: JsonSchema): WireObject {
  // The models' types know no read-only lists; no model writes into them.
  return schema as WireObject;
}

/** The tools from codecs, checked: they must have the form of the interface and names that no tool of the prompt has. */
function toProviderTools(given: readonly JsonObject[], tools: ModelRequest['tools']): ProviderTool[] {
  return given.map((tool) => {
    if (!isProviderTool(tool)) {
      throw new PromptValidationError(
        'A codec for hosted tools of the AI SDK must give tools of the form { type: "provider", id: "provider.tool", name, args }.',
        { details: { option: 'hostedToolCodecs' } },
      );
    }
    if (tools.some(({ name }) => name === tool.name)) {
      throw new PromptValidationError(
        `The tool "${tool.name}" has the name that the provider gives to its own tool ${tool.id}. Rename it.`,
        { details: { tool: tool.name, providerTool: tool.id } },
      );
    }
    return tool;
  });
}

function isProviderTool(tool: object): tool is ProviderTool {
  const { type, id, name, args }: { readonly [Key in keyof ProviderTool]?: unknown } = tool;
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

/** Google chooses among functions alone. */
const withoutChoice = /^google\./;

/**
 * A hosted tool is chosen by the name that its provider has for it.
 *
 * @throws {PromptValidationError} for one that the provider cannot be forced to use, such as a server that is not a tool of the request.
 */
function toWireChoice(
  choice: ToolChoice,
  hostedTools: readonly HostedTool[],
  wires: readonly HostedToolWire[],
): AiSdkToolChoice {
  if (typeof choice === 'string') return { type: choice };
  const index = hostedTools.findIndex(({ name }) => name === choice.tool);
  const hosted = hostedTools[index];
  if (hosted === undefined) return { type: 'tool', toolName: choice.tool };
  const { id, name } = wires[index]?.tools[0] ?? {};
  if (typeof name !== 'string' || (typeof id === 'string' && withoutChoice.test(id)))
    throw refuseHostedChoice(hosted, 'the provider');
  return { type: 'tool', toolName: name };
}
