import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { Project, tools } from './tools.ts';

await runTrace(({ baseURL, apiKey, maxTurns }, files) => {
  const project = new Project(files);
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ apiKey, baseURL }),
    tracingDisabled: true,
  });
  const agent = new Agent({
    name: 'trace',
    instructions,
    model: 'gpt-5',
    tools: [
      tool({
        name: tools.read.name,
        description: tools.read.description,
        parameters: tools.read.schema,
        execute: (input) => project.read(input),
      }),
      tool({
        name: tools.write.name,
        description: tools.write.description,
        parameters: tools.write.schema,
        execute: (input) => project.write(input),
      }),
      tool({
        name: tools.search.name,
        description: tools.search.description,
        parameters: tools.search.schema,
        execute: (input) => project.search(input),
      }),
    ],
  });
  return {
    calls: () => project.calls,
    contentOf: (path) => project.contentOf(path),
    converse: async () => {
      const result = await runner.run(agent, 'Begin.', { stream: true, maxTurns });
      // Reads the stream to its end.
      await result.completed;
      if (result.error !== null && result.error !== undefined) throw result.error;
      return result.finalOutput ?? '';
    },
  };
});
