export { aiSdk } from './ai-sdk.ts';
export type { AiSdkModel } from './wire/ai-sdk-model.ts';
