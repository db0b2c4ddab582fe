import type { ResponseRow } from '../format/rows.ts';
import type { RecordedResponse } from './run-record.ts';

/** The answer of a row. */
export function recordedResponse(row: ResponseRow): RecordedResponse {
  const {
    durationMs,
    timeToFirstPieceMs,
    content = [],
    finishReason,
    usage,
    responseId,
    responseModel,
  } = row;
  const textOf = (type: string): string =>
    content
      .flatMap((part) => (part['type'] === type && typeof part['text'] === 'string' ? part['text'] : []))
      .join('');
  return {
    atMs: row.t,
    durationMs,
    ...(timeToFirstPieceMs === undefined ? {} : { timeToFirstPieceMs }),
    text: textOf('text'),
    reasoning: textOf('reasoning'),
    content,
    ...(row.raw === undefined ? {} : { raw: row.raw }),
    ...(row.hosted === undefined ? {} : { hosted: row.hosted }),
    ...(row.hasFiles === undefined ? {} : { hasFiles: row.hasFiles }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(usage === undefined ? {} : { usage }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(responseModel === undefined ? {} : { model: responseModel }),
    ...(row.error === undefined ? {} : { error: row.error }),
    isRedacted: row.redacted === true,
  };
}
