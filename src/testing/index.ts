export {
  type Script,
  type ScriptedModelOptions,
  type ScriptedToolCall,
  type ScriptedTurn,
  scriptedModel,
} from '../adapter/index.ts';
export {
  type MockHostedToolCodec,
  type MockHostedToolCodecOptions,
  mockHostedToolCodec,
} from './mock-hosted-tool-codec.ts';
