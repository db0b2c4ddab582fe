import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runToEnd } from '../../../../support/run-to-end.ts';

const root = fileURLToPath(new URL('../../../../..', import.meta.url));
const server = fileURLToPath(new URL('../../../../support/mcp/child-server.mjs', import.meta.url));

it('a program that does not dispose the section of a mounted program ends by itself, after the call that is open', async () => {
  const program = `
    import { promptTemplate } from 'weakincentives';
    import { openMcpSection } from 'weakincentives/mcp';
    import { scriptedAdapter } from 'weakincentives/testing';
    const section = await openMcpSection({
      title: 'Server',
      key: 'server',
      server: { command: process.execPath, args: [${JSON.stringify(server)}] },
      include: ['cwd'],
    });
    const prompt = promptTemplate({ ns: 'tests', key: 'idle', sections: [section] }).bind();
    const turns = [{ toolCalls: [{ name: section.tools[0].name, arguments: {} }] }, { text: 'done' }];
    const run = await scriptedAdapter(turns).evaluate(prompt);
    console.log(run.text);
  `;
  expect(await runToEnd(program, root)).toBe('done\n');
});
