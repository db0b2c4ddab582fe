import type { ObservedRequest, ObservedResponse } from '../../core/runtime/index.ts';
import { attributesOf, errorTypeOf } from './attributes.ts';
import { answerJson, finishWord, instructionsJson, toolsJson } from './content.ts';
import type { AttributeNames } from './names.ts';
import type { RunSpans } from './run-spans.ts';
import type { ChatEnd, TraceBuilder } from './trace-builder.ts';

/** What ends a model call: the answer as observers get it, or what the event about it has in common with that. */
type Answer = DistributiveOmit<ObservedResponse, 'evaluationId' | 'path' | 'atMs' | 'isRedacted' | 'turn'>;

type DistributiveOmit<Union, Keys extends PropertyKey> = Union extends unknown ? Omit<Union, Keys> : never;

/** The attributes of an answer, and notes its reason to stop in the run. */
export function chatEndOf(
  run: RunSpans,
  response: Answer,
  names: AttributeNames,
  hasContent: boolean,
): ChatEnd {
  const { durationMs, timeToFirstPieceMs } = response;
  const timing = {
    [names.stream]: timeToFirstPieceMs === undefined ? undefined : true,
    [names.timeToFirstChunk]: timeToFirstPieceMs === undefined ? undefined : timeToFirstPieceMs / 1000,
  };
  if (response.outcome === 'failed') {
    const { error } = response;
    const said = hasContent ? { 'wink.error': error.message } : {};
    return { durationMs, attributes: attributesOf({ ...timing, ...said }), errorType: errorTypeOf(error) };
  }
  const { usage = {}, answeredBy, responseId, responseModel, content } = response;
  const finishReason = finishWord(response.finishReason);
  run.finishReason = finishReason;
  return {
    durationMs,
    usage,
    responseModel,
    answeredBy,
    attributes: attributesOf({
      ...timing,
      [names.responseId]: responseId,
      [names.responseModel]: responseModel,
      [names.finishReasons]: [finishReason],
      [names.inputTokens]: usage.inputTokens,
      [names.outputTokens]: usage.outputTokens,
      [names.cacheReadTokens]: usage.cachedInputTokens,
      [names.cacheWriteTokens]: usage.cacheWriteInputTokens,
      [names.reasoningTokens]: usage.reasoningTokens,
      [names.outputMessages]: hasContent ? answerJson(content, response.finishReason) : undefined,
    }),
  };
}

/** Puts on a model call what the model gets, and on the run what the first model call gets. */
export function describeRequest(
  trace: TraceBuilder,
  names: AttributeNames,
  run: RunSpans,
  { turn, edits, instructions, tools, hostedTools }: ObservedRequest,
): void {
  const { messages } = run;
  if (messages === undefined) return;
  messages.apply(edits);
  const input = {
    [names.systemInstructions]: instructionsJson(instructions),
    [names.inputMessages]: messages.toJson(),
  };
  const { toolDefinitions: known } = run;
  if (known?.tools !== tools || known.hostedTools !== hostedTools) {
    const descriptions = new Map(tools.map(({ name, description }) => [name, description]));
    run.toolDefinitions = { tools, hostedTools, json: toolsJson(tools, hostedTools), descriptions };
  }
  const definitions = attributesOf({ [names.toolDefinitions]: run.toolDefinitions?.json });
  trace.openChat(run, turn).span.setAttributes({ ...input, ...definitions });
  if (turn === 1) run.span.setAttributes(input);
}
