import { cell } from '../harness/cell.ts';
import { mastraModel } from '../systems/mastra.ts';
import { ask } from './agents/mastra.ts';
import { measure, script } from './case.ts';

await cell(() => measure('mastra', ['@mastra/core', 'zod'], () => ask(mastraModel(script))));
