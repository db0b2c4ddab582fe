import type { ProjectedTool, SchemaProjections } from '../adapter/index.ts';
import { PromptValidationError } from '../error/index.ts';
import type { ModelRequest, ToolChoice } from '../runtime/index.ts';
import { isSchemaObject, type JsonObject, type SchemaProjection } from '../schema/index.ts';
import type { Logger } from '../tool/index.ts';
import { toInputItems } from './input-items.ts';
import { checkSettings, mergeSettings, type OpenAISettings } from './request-settings.ts';
import type { FunctionTool, IncludedData, ResponsesRequest, WireToolChoice } from './wire.ts';

/** What a request is made with, beside what the run asks for. */
export interface RequestOptions {
  readonly model: string;
  /** Name of the model provider, under which its own items are known again. */
  readonly provider: string;
  readonly settings: OpenAISettings;
  readonly encryptedReasoning: boolean;
  readonly projections: SchemaProjections;
  readonly logger: Logger;
}

/** A request with what is needed to read its response. */
export interface PreparedRequest {
  readonly body: ResponsesRequest;
  /** The schema of the arguments of each tool, by name. */
  readonly toolSchemas: ReadonlyMap<string, SchemaProjection>;
  readonly answerSchema: SchemaProjection | undefined;
}

/**
 * The request for one turn.
 *
 * @throws {PromptValidationError} for a hosted tool, and for a setting that is not the caller's to set.
 */
export function prepareRequest(request: ModelRequest, options: RequestOptions): PreparedRequest {
  const [hosted] = request.hostedTools;
  if (hosted !== undefined) {
    throw new PromptValidationError(
      `The OpenAI adapter has no codec for hosted tools of the kind "${hosted.hostedKind}"; take "${hosted.name}" out of the prompt.`,
      { details: { tool: hosted.name, kind: hosted.hostedKind } },
    );
  }
  checkSettings(request.settings);
  const settings = mergeSettings(options.settings, request.settings);
  const { tools, answer: answerSchema } = options.projections.project(request, options.logger);
  const store = settings['store'] === true;
  const include = includedData(settings, options.encryptedReasoning && !store);
  return {
    toolSchemas: new Map(tools.map(({ tool, schema }) => [tool.name, schema])),
    answerSchema,
    body: {
      ...settings,
      model: options.model,
      instructions: request.instructions,
      input: toInputItems(request.conversation, options.provider),
      store,
      ...(include.length === 0 ? {} : { include }),
      ...(tools.length === 0
        ? {}
        : {
            tools: tools.map(toFunctionTool),
            tool_choice: toWireChoice(request.toolChoice),
            parallel_tool_calls: settings['parallel_tool_calls'] !== false,
          }),
      ...(answerSchema === undefined ? {} : { text: toText(settings, answerSchema) }),
    },
  };
}

function includedData(settings: JsonObject, withReasoning: boolean): IncludedData[] {
  const own: readonly IncludedData[] = withReasoning ? ['reasoning.encrypted_content'] : [];
  const asked = settings['include'];
  // The names that the caller asks for are the provider's to know; they are passed on as they are.
  return [...new Set([...own, ...(Array.isArray(asked) ? (asked as IncludedData[]) : [])])];
}

function toFunctionTool({ tool, schema: { schema, strict } }: ProjectedTool): FunctionTool {
  return { type: 'function', name: tool.name, description: tool.description, parameters: schema, strict };
}

function toWireChoice(choice: ToolChoice): WireToolChoice {
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.tool };
}

function toText(
  settings: JsonObject,
  { schema, strict }: SchemaProjection,
): NonNullable<ResponsesRequest['text']> {
  const { text } = settings;
  return {
    ...(isSchemaObject(text) ? text : {}),
    format: { type: 'json_schema', name: 'answer', schema, strict },
  };
}
