export {
  lastResponseId,
  longResponseWrites,
  readCacheDiagnosis,
  readMessageDiagnosis,
} from './caching/cache-diagnosis.ts';
export {
  type OpenAICachingPlan,
  type OpenAILifetime,
  openaiLifetimes,
  planOpenAICaching,
  refuseBareExplicit,
} from './caching/openai-caching.ts';
export {
  assertClaudeOrder,
  type ClaudeLifetime,
  claudeCachingSupport,
  type PromptCachingParts,
  readCaching,
} from './caching/prompt-caching.ts';
export { choiceAmongAll } from './hosted/allowed-tools.ts';
export type { Cited } from './hosted/annotations.ts';
export {
  type ApproximateLocation,
  configuredPaths,
  type DomainLists,
  namedDomains,
  toApproximateLocation,
  toDomainLists,
  toOneDomainList,
} from './hosted/config-values.ts';
export type {
  HostedToolCodec,
  HostedToolCodecTable,
  HostedToolFindings,
  HostedToolWire,
  HostedTurn,
} from './hosted/hosted-tool-codec.ts';
export { HostedToolRegistry, hostedChoice, type UnsupportedConfig } from './hosted/hosted-tool-registry.ts';
export {
  type OpenAICodecs,
  type OpenAIHostedCall,
  openaiCodecsOf,
  readWebSources,
} from './hosted/openai-codecs.ts';
export {
  aiSdk6AnthropicTypes,
  aiSdk7AnthropicTypes,
  aiSdkOpenaiTypes,
  anthropicTypes,
  openaiTypes,
  type VendorToolType,
  vendorTypeOf,
} from './hosted/vendor-types.ts';
export { type AskedOfModel, isForced, refuseForModel, refuses, thinksByBudget } from './model-facts.ts';
export {
  type ClientChoice,
  checkModelOptions,
  claudeCharactersPerToken,
  lazyClient,
  modelChecks,
  openedToolsCheck,
  type SharedModelOptions,
  searchedToolsCheck,
} from './model-options.ts';
export { offerTools, type RuntimeCall } from './offer-tools.ts';
export type { PreparedRequest } from './prepared-request.ts';
export { type AdapterRuns, adapterOf, providerAdapter } from './provider-adapter.ts';
export { type ProjectedTool, type StrictTools, ToolSchemas } from './schema/tool-schemas.ts';
export {
  type AnthropicToolTypes,
  anthropicToolCodecs,
} from './typed/anthropic-tools.ts';
export { patchCalls, patchResult } from './typed/patch.ts';
export type {
  ChoicePurpose,
  ProviderCall,
  ProviderCallContext,
  ProviderToolCodec,
  ProviderToolCodecTable,
} from './typed/provider-tool-codec.ts';
export {
  ProviderToolRegistry,
  TypedItems,
  type TypedTools,
  typedCallParts,
} from './typed/provider-tool-registry.ts';
export { type ShellOutput, shellCalls, shellOutputs } from './typed/shell.ts';
export { namespacesOf, type ToolNamespace, toolSearchKind, withToolSearch } from './typed/tool-search.ts';
export { askVendor, type VendorRequestOptions } from './wire/ask-vendor.ts';
export {
  effortWithoutThinking,
  hasBudget,
  isOff,
  ThinkingNotice,
  withoutBudgetThinking,
} from './wire/budget-thinking.ts';
export { isContextOverflow } from './wire/context-overflow.ts';
export { DistinctCallIds } from './wire/distinct-call-ids.ts';
export { failureReason } from './wire/failure-reason.ts';
export {
  countAboveZero,
  countFields,
  fieldsIn,
  numberFields,
  objectsIn,
  parseJsonText,
  stringFields,
  stringsIn,
  textOfBlocks,
  type WireFields,
} from './wire/fields.ts';
export {
  type CallIdForm,
  ForeignCallIds,
  nineCharacterCallIds,
  plainCallIds,
  shortCallIds,
} from './wire/foreign-call-ids.ts';
export { joinHeaders } from './wire/headers.ts';
export { isWebUrl, toBase64, toUrl } from './wire/media-url.ts';
export { MessageBuilder } from './wire/message-builder.ts';
export {
  isCompactedMessage,
  longMessageWrites,
  messagesFinishReason,
  messagesUsage,
  toTokenUsage,
} from './wire/messages-turn.ts';
export { mayThink, startOfLoop, type ThinkingReader } from './wire/open-loop.ts';
export { type PlacedTools, placeTools } from './wire/placed-tools.ts';
export {
  describeLostConnection,
  type ProviderErrorOptions,
  toBrokenStreamError,
  toNoAnswerError,
  toProviderError,
  toResponseError,
  vendorErrorCodes,
} from './wire/provider-error.ts';
export { reportingFetch } from './wire/reporting-fetch.ts';
export { SilenceLimit } from './wire/silence-limit.ts';
export {
  notSettable,
  numberSetting,
  refuseBoth,
  refuseControlled,
  refuseSetting,
  splitSettings,
} from './wire/split-settings.ts';
export {
  readEvents,
  type StreamListener,
  streamEndGraceMs,
} from './wire/stream-reader.ts';
export { assertAnswerable, assertRunsHere, unansweredItem } from './wire/unanswered-items.ts';
