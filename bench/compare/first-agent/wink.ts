import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { ask } from './agents/wink.ts';
import { measure, script } from './case.ts';

await cell(() => measure('wink', ['weakincentives', 'zod'], () => ask(winkModel(script))));
