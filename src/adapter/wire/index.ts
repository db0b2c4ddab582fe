export { DistinctCallIds } from './distinct-call-ids.ts';
export { isWebUrl, toBase64, toUrl } from './media-url.ts';
export { type ProjectedRequest, type ProjectedTool, SchemaProjections } from './schema-projections.ts';
export { type SplitSettings, splitSettings } from './split-settings.ts';
