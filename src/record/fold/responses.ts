import { present } from '../../core/internal/index.ts';
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
