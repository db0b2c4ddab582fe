import { ModelResponseError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { ModelTurn, RecordedError } from '../../core/runtime/index.ts';
import type { AssistantPart, HostedToolReading } from '../../core/tool/index.ts';
import type { ResponseRow } from '../format/rows.ts';
import type { RecordedResponse } from './run-record.ts';

/** The answer of a row. */
export function recordedResponse(row: ResponseRow): RecordedResponse {
  const { durationMs, timeToFirstPieceMs, content = [], raw, hosted, hasFiles } = row;
  const { finishReason, usage, responseId, responseModel: model, error } = row;
  const textOf = (type: string): string =>
    content
      .flatMap((part) => (part['type'] === type && typeof part['text'] === 'string' ? part['text'] : []))
      .join('');
  return {
    atMs: row.t,
    durationMs,
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    content,
    isRedacted: row.redacted === true,
    ...present({ timeToFirstPieceMs, raw, hosted, hasFiles, finishReason, usage, responseId, model, error }),
  };
}

/**
 * The answer of a model as it was.
 *
 * @throws what the model failed with, as far as a record has it.
 */
export function recordedTurn(response: RecordedResponse): ModelTurn {
  const { error, finishReason, usage, raw, hosted, responseId, model, hasFiles } = response;
  if (error !== undefined) throw toError(error);
  return {
    // The content of an answer is recorded as it is, and checked by the run like that of any model.
    content: response.content as unknown as readonly AssistantPart[],
    finishReason: finishReason ?? 'other',
    ...present({ usage, raw }),
    // As above.
    ...present({
      hosted: hosted as unknown as readonly HostedToolReading[] | undefined,
      responseId,
      responseModel: model,
      hasFiles,
    }),
  };
}

/** An error with name, message and code of the recorded one. */
export function toError({ name, message, code }: RecordedError): Error {
  if (code === 'model-context-exceeded') return new ModelResponseError(code, message);
  const error = new Error(message);
  error.name = name;
  return error;
}
