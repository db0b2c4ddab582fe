import type { MastraModelConfig } from '@mastra/core/llm';
import { noopLogger } from '@mastra/core/logger';
import type { Script } from '../harness/script.ts';
import { aiSdkModel } from './ai-sdk.ts';

/** Models of the AI SDK are models of Mastra (documentation: Models), so its mock is the scripted model. */
export function mastraModel(script: Script): MastraModelConfig {
  // It is one, by the documentation; the declared types of both packages differ.
  return aiSdkModel(script) as unknown as MastraModelConfig;
}

/** What a script of Mastra need not print. */
export const quiet = noopLogger;
