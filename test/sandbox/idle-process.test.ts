import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runToEnd } from '../support/run-to-end.ts';

const folder = fileURLToPath(new URL('../peers/sandbox/', import.meta.url));

/** A program that runs an agent with one call, and disposes neither its session nor its sandbox. */
function program(options: { sections: string; call: string; before?: string }): string {
  return `
    import { promptTemplate, Session } from 'weakincentives';
    import { codeEvaluationSection, shellSection, virtualSandbox } from 'weakincentives/sandbox';
    import { scriptedAdapter } from 'weakincentives/testing';
    import { vfsToolsSection } from 'weakincentives/tools';
    ${options.before ?? ''}
    const prompt = promptTemplate({ ns: 'tests', key: 'idle', sections: [vfsToolsSection(), ${options.sections}] }).bind();
    const session = new Session();
    const run = await scriptedAdapter([{ toolCalls: [${options.call}] }, { text: 'done' }]).evaluate(prompt, { session });
    console.log(run.text);
  `;
}

const shellCall = `{ name: 'shell_execute', arguments: { command: 'echo hi' } }`;

describe('a program that disposes nothing', () => {
  it.each([
    {
      what: 'a virtual sandbox',
      sections: 'shellSection({ backend: virtualSandbox() })',
      call: shellCall,
    },
    {
      what: 'a virtual sandbox that keeps a thread ahead',
      before: 'const backend = virtualSandbox(); await backend.prepare();',
      sections: 'shellSection({ backend })',
      call: shellCall,
    },
    {
      what: 'an evaluator of code',
      sections: `codeEvaluationSection({ languages: ['javascript'] })`,
      call: `{ name: 'evaluate_code', arguments: { code: '1 + 1' } }`,
    },
  ])('ends by itself after a call in $what', async ({ what: _what, ...options }) => {
    expect(await runToEnd(program(options), folder)).toBe('done\n');
  });
});
