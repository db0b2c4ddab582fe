import { cell } from '../harness/cell.ts';
import { aiSdkModel } from '../systems/ai-sdk.ts';
import { ask } from './agents/ai-sdk.ts';
import { measure, script } from './case.ts';

await cell(() => measure('ai-sdk', ['ai-7', 'zod'], () => ask(aiSdkModel(script))));
