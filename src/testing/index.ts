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
