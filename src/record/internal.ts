export { RequestHistory } from './fold/requests.ts';
export { recordedResponse } from './fold/responses.ts';
export { RowReader } from './format/row-reader.ts';
export { pathOf } from './replay/record-index.ts';
export { recordedTurn } from './replay/recorded-turn.ts';
export { type ComparedRequest, requestDifferences } from './replay/request-difference.ts';
export { placeInside } from './writer/run-numbers.ts';
export { type ContinuedRows, type JournalRecorderOptions, Recorder } from './writer/run-recorder.ts';
export { sha256 } from './writer/sha256.ts';
