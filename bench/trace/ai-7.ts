import { createOpenAI } from '@ai-sdk/openai';
import { isStepCount, streamText, tool } from 'ai-7';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { Project, tools } from './tools.ts';

await runTrace(({ baseURL, apiKey, maxTurns }, files) => {
  const project = new Project(files);
  const model = createOpenAI({ baseURL, apiKey })('gpt-5');
  return {
    calls: () => project.calls,
    contentOf: (path) => project.contentOf(path),
    converse: async () => {
      const result = streamText({
        model,
        instructions,
        prompt: 'Begin.',
        tools: {
          [tools.read.name]: tool({
            description: tools.read.description,
            inputSchema: tools.read.schema,
            execute: (input) => project.read(input),
          }),
          [tools.write.name]: tool({
            description: tools.write.description,
            inputSchema: tools.write.schema,
            execute: (input) => project.write(input),
          }),
          [tools.search.name]: tool({
            description: tools.search.description,
            inputSchema: tools.search.schema,
            execute: (input) => project.search(input),
          }),
        },
        stopWhen: isStepCount(maxTurns),
        onError: ({ error }) => {
          throw error;
        },
      });
      return await result.text;
    },
  };
});
