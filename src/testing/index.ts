export {
  adapterConformance,
  type ConformanceAnswer,
  type ConformanceCall,
  type ConformanceCase,
  type ConformanceConnection,
  ConformanceError,
  type ConformanceErrorCode,
  type ConformanceFeature,
  type ConformanceFragment,
  type ConformanceGap,
  type ConformanceItem,
  type ConformanceMode,
  type ConformanceOptions,
  type ConformancePeer,
  type ConformanceProvider,
  type ConformanceRefusal,
  type ConformanceRefusedCase,
  type ConformanceRequest,
  type ConformanceSearch,
  type ConformanceTurn,
} from './conformance/index.ts';
export { type DurableConformanceOptions, durableConformance } from './durable/index.ts';
export { createManualClock, type ManualClock } from './manual-clock.ts';
export { memoryJournal } from './memory-journal.ts';
export {
  type MockHostedToolCodec,
  type MockHostedToolCodecOptions,
  mockHostedToolCodec,
} from './mock-hosted-tool-codec.ts';
export { type RecordedAdapter, type RecordedAdapterOptions, recordedAdapter } from './recorded-adapter.ts';
export {
  type Script,
  type ScriptedAdapterOptions,
  type ScriptedToolCall,
  type ScriptedTurn,
  scriptedAdapter,
} from './scripted-adapter.ts';
