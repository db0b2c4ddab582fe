import { cell } from '../harness/cell.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { ask } from './agents/openai-agents.ts';
import { measure, script } from './case.ts';

await cell(() => measure('openai-agents', ['@openai/agents', 'zod'], () => ask(openaiAgentsModel(script))));
