import OpenAI from 'openai';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  readBeforeWritePolicy,
  section,
  sequentialDependencyPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { openai } from 'weakincentives/openai';
import { z } from 'zod';
import { runTrace } from './run-trace.ts';
import { instructions } from './script.ts';
import { answerSchema, match, tools, wrote } from './tools.ts';

await runTrace(({ baseURL, apiKey, maxTurns }, files) => {
  let calls = 0;
  const filesystem = new MemoryFilesystem({ files });
  const template = promptTemplate({
    ns: 'bench',
    key: 'trace',
    output: answerSchema,
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: instructions,
        tools: [
          tool({
            name: tools.read.name,
            description: tools.read.description,
            inputSchema: tools.read.schema,
            effects: 'read',
            outputSchema: z.string(),
            render: (text) => text,
            execute: async ({ path }, context) => {
              calls += 1;
              return ToolResult.ok((await context.filesystem.read(path)).text);
            },
          }),
          tool({
            name: tools.write.name,
            description: tools.write.description,
            inputSchema: tools.write.schema,
            effects: 'state',
            outputSchema: z.string(),
            render: (text) => text,
            execute: async ({ path, text }, context) => {
              calls += 1;
              await context.filesystem.write(path, text);
              return ToolResult.ok(wrote(path, text));
            },
          }),
          tool({
            name: tools.search.name,
            description: tools.search.description,
            inputSchema: tools.search.schema,
            effects: 'read',
            outputSchema: z.string(),
            render: (text) => text,
            execute: async ({ folder, text }, context) => {
              calls += 1;
              const { matches } = await context.filesystem.grep(text, { path: folder, literal: true });
              return ToolResult.ok(
                matches.map((found) => match(found.path, found.line, found.text)).join('\n'),
              );
            },
          }),
        ],
        policies: [
          readBeforeWritePolicy(),
          sequentialDependencyPolicy({ dependencies: { [tools.write.name]: [tools.read.name] } }),
        ],
        resources: [binding(Filesystem, { create: () => filesystem })],
      }),
    ],
  });
  const adapter = openai({ model: 'gpt-5', client: new OpenAI({ apiKey, baseURL }) });
  return {
    calls: () => calls,
    contentOf: async (path) => (await filesystem.read(path)).text,
    converse: async () => {
      for await (const event of adapter.stream(template.bind(), { limits: { maxTurns } })) {
        if (event.type === 'run-result') return event.response.text;
      }
      return '';
    },
  };
});
