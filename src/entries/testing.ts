/**
 * A scripted model, to test agents without one; a clock that a test sets.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/testing
 */

export { memoryJournal } from '../durable/journal/index.ts';
export { createManualClock, type ManualClock } from '../testing/doubles/manual-clock.ts';
export {
  type EndedRunJob,
  type MemoryQueue,
  type MemoryQueueOptions,
  memoryQueue,
} from '../testing/doubles/memory-queue.ts';
export {
  type MockHostedToolCodec,
  type MockHostedToolCodecOptions,
  mockHostedToolCodec,
} from '../testing/doubles/mock-hosted-tool-codec.ts';
export {
  type RecordedAdapter,
  type RecordedAdapterOptions,
  recordedAdapter,
} from '../testing/doubles/recorded-adapter.ts';
export {
  type Script,
  type ScriptedAdapterOptions,
  type ScriptedToolCall,
  type ScriptedTurn,
  scriptedAdapter,
} from '../testing/doubles/scripted-adapter.ts';
