import { cell } from '../harness/cell.ts';
import { LangGraphModel } from '../systems/langgraph.ts';
import { ask } from './agents/langgraph.ts';
import { measure, script } from './case.ts';

await cell(() =>
  measure('langgraph', ['@langchain/langgraph', '@langchain/core', 'zod'], () =>
    ask(new LangGraphModel(script)),
  ),
);
