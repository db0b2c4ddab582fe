import { describe, expect, it } from 'vitest';
import {
  type AgentOptions,
  defineAgent,
  filesExistCompletion,
  PromptValidationError,
  promptTemplate,
  section,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const template = promptTemplate({
  ns: 'tests',
  key: 'demo',
  name: 'Demo',
  sections: [section({ title: 'Task', key: 'task', template: () => 'Do it.' })],
});

describe('defineAgent', () => {
  it('is plain frozen data that is named after its template', () => {
    const agent = defineAgent({ template });
    expect(agent).toEqual({ kind: 'agent', name: 'Demo', template });
    expect(Object.isFrozen(agent)).toBe(true);
    expect(Object.getPrototypeOf(agent)).toBe(Object.prototype);
  });

  it('keeps what it was given, apart from later changes to it', () => {
    const exclude = ['dist/**'];
    const options = {
      template,
      name: 'other',
      description: 'Does it.',
      params: {},
      input: [{ type: 'text', text: 'go' }] as const,
      workspace: { exclude, maxFiles: 3, defaultExcludes: false },
      adapter: scriptedAdapter([]),
      limits: {
        maxTurns: 7,
        maxRepeatedFailures: 3,
        budget: { maxTotalTokens: 5, prices: { inputPerMillion: 1, outputPerMillion: 2 } },
      },
      approve: () => true,
    };
    const agent = defineAgent(options);
    expect(agent).toEqual({ kind: 'agent', ...options });
    exclude.push('more/**');
    expect(agent.workspace).toEqual({ exclude: ['dist/**'], maxFiles: 3, defaultExcludes: false });
    expect(Object.isFrozen(agent.workspace)).toBe(true);
  });

  it('may work without a workspace', () => {
    expect(defineAgent({ template, workspace: false }).workspace).toBe(false);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'template',
      {},
      /^defineAgent\(\): template must be a template made by promptTemplate\(\); received undefined\.$/,
    ],
    ['template', { template: { kind: 'prompt' } }, /template made by promptTemplate/],
    ['params', { params: 'x' }, /params must be an object or a function; received a string/],
    ['params', { params: [] }, /received an array/],
    ['input', { input: 5 }, /a text or a list of parts; received 5/],
    [
      'budget.maxTokens',
      { limits: { budget: { maxTokens: 5 } } },
      /A budget has no option "budget\.maxTokens"/,
    ],
    ['workspace', { workspace: true }, /an object or false; received true/],
    [
      'workspace.include',
      { workspace: { include: '*.ts' } },
      /include must be a list of globs; received a string/,
    ],
    [
      'workspace.exclude',
      { workspace: { exclude: ['dist/**', '*.!(ts)'] } },
      /workspace\.exclude of an agent has an unusable glob\. The glob "\*\.!\(ts\)" has "!\("/,
    ],
    ['workspace.maxBytes', { workspace: { maxBytes: -1 } }, /a whole number of at least 0; received -1/],
    ['workspace.defaultExcludes', { workspace: { defaultExcludes: 'no' } }, /must be a boolean/],
    [
      'workspace.hostPath',
      { workspace: { hostPath: '.' } },
      /defineAgent\(\) has no option "workspace\.hostPath"; its options are include/,
    ],
    ['workspace.toString', { workspace: { toString: 1 } }, /no option "workspace\.toString"/],
    ['adapter', { adapter: 'gpt' }, /an adapter or a function; received a string/],
    ['adapter', { adapter: { name: 'x' } }, /received an object/],
    ['limits.maxTurns', { limits: { maxTurns: 0 } }, /at least 1; received 0/],
    ['limits.maxTurns', { limits: { maxTurns: 1.5 } }, /at least 1; received 1.5/],
    ['limits', { limits: 5 }, /limits must be an object; received a number/],
    ['approve', { approve: true }, /approve must be a function; received a boolean/],
    ['feedback', { feedback: {} }, /must be a list of providers/],
    ['feedback', { feedback: [{}] }, /name undefined of a feedback provider/],
    ['observers', { observers: {} }, /observers must be an array/],
    ['onCommit', { observers: [{ onCommit: 1 }] }, /onCommit must be a function/],
    ['completion', { completion: {} }, /checker with a function check/],
    [
      'completion',
      { completion: { checker: filesExistCompletion({ paths: ['a'] }), maxChecks: 0 } },
      /limits\.maxCompletionChecks/,
    ],
    ['name', { name: ' ' }, /one line, not empty/],
    ['name', { name: 'a\nb' }, /one line, not empty/],
    ['description', { description: 1 }, /description must be a string; received a number/],
    [
      'tools',
      { tools: [] },
      /defineAgent\(\) has no option "tools"; its options are template, params, input/,
    ],
  ])('refuses a wrong %s: %j', (option, wrong, message) => {
    const options = { ...(option === 'template' ? {} : { template }), ...wrong };
    // Deliberately not what the types ask for.
    const define = (): unknown => defineAgent(options as unknown as AgentOptions<unknown, unknown>);
    expect(define).toThrow(PromptValidationError);
    expect(define).toThrow(message);
    expect(define).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ option }) as unknown }),
    );
  });

  it('refuses what is not an object', () => {
    // Deliberately not what the types ask for.
    expect(() => defineAgent(null as unknown as AgentOptions<unknown, unknown>)).toThrow(
      /defineAgent\(\): options must be an object/,
    );
  });
});
