export { annotatedCitations, type Cited } from './annotations.ts';
export { saysContextOverflow } from './context-overflow.ts';
export { DistinctCallIds } from './distinct-call-ids.ts';
export { failureReason } from './failure-reason.ts';
export { type Fields, isFields, objectsIn, onlyTexts, textsIn } from './fields.ts';
export {
  type CallIdForm,
  ForeignCallIds,
  nineCharacterCallIds,
  plainCallIds,
  shortCallIds,
} from './foreign-call-ids.ts';
export { isWebUrl, toBase64, toUrl } from './media-url.ts';
export { type CommonModelOptions, checkModelOptions, lazyClient, requestTimeoutMs } from './model-options.ts';
export { type ProviderErrorWords, toBrokenStream, toFailure, toProviderError } from './provider-error.ts';
export { describeRemoteFailure, parseJsonText } from './remote-call.ts';
export {
  type ProjectedRequest,
  type ProjectedTool,
  SchemaProjections,
  type StrictTools,
} from './schema-projections.ts';
export { type SplitSettings, splitSettings } from './split-settings.ts';
export {
  isEventStream,
  StreamReader,
  type StreamReaderOptions,
  streamEndGraceMs,
} from './stream-reader.ts';
