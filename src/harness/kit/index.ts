export type {
  AgentHarness,
  HarnessAnswer,
  HarnessCapabilities,
  HarnessCheck,
  HarnessFiles,
  HarnessOutcome,
  HarnessRequest,
  HarnessRunOptions,
  HarnessTools,
} from './agent-harness.ts';
export { AnswerSchema } from './answer-schema.ts';
export { harnessAdapter } from './harness-adapter.ts';
