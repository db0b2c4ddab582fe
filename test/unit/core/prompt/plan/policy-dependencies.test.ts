import { describe, expect, it } from 'vitest';
import {
  type AnySection,
  type AnyTool,
  hostedTool,
  PolicyDecision,
  PromptValidationError,
  promptTemplate,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { runSections } from '../../../../support/sections.ts';

const done = (name: string): AnyTool =>
  tool({ name, description: `Does ${name}.`, execute: () => ToolResult.ok(null, `${name} done`) });
const order = (dependencies: Readonly<Record<string, readonly string[]>>): ToolPolicy =>
  sequentialDependencyPolicy({ dependencies });
const templateOf = (sections: readonly AnySection[], policies: readonly ToolPolicy[] = []) =>
  promptTemplate({ ns: 'test', key: 'dependencies', sections, policies });

function refusal(sections: readonly AnySection[], policies?: readonly ToolPolicy[]): PromptValidationError {
  try {
    templateOf(sections, policies);
  } catch (error) {
    if (error instanceof PromptValidationError) return error;
    throw error;
  }
  throw new Error('The template was made.');
}

const testing = section({ title: 'Testing', key: 'testing', template: 'Test.', tools: [done('test')] });
const release = (...policies: readonly ToolPolicy[]) =>
  section({ title: 'Release', key: 'release', template: 'Ship.', tools: [done('deploy')], policies });

const calls = (...names: readonly string[]) =>
  names.map((name) => ({ toolCalls: [{ name, arguments: {} }] }));

describe('a policy that depends on a tool of another section', () => {
  it('counts the successes of that tool', async () => {
    const prompt = templateOf([testing, release(order({ deploy: ['test'] }))]).bind();
    const { texts } = await runSections(prompt, calls('deploy', 'test', 'deploy'));
    expect(texts[0]).toContain('"deploy" may be called only after "test" succeeded');
    expect(texts.slice(1)).toEqual(['test done', 'deploy done']);
  });

  it('counts what a section above it brings, and one that is opened later', async () => {
    const nested = section({
      title: 'Work',
      key: 'work',
      template: 'Work.',
      tools: [done('plan')],
      children: [release(order({ deploy: ['plan', 'test'] }))],
    });
    const closed = section({
      title: 'Testing',
      key: 'testing',
      template: 'Test.',
      summary: 'How to test.',
      visibility: 'summary',
      tools: [done('test')],
    });
    const { texts } = await runSections(templateOf([nested, closed]).bind(), [
      ...calls('plan', 'deploy'),
      { toolCalls: [{ name: 'open_sections', arguments: { section_keys: ['testing'], reason: 'to test' } }] },
      ...calls('test', 'deploy'),
    ]);
    expect(texts[1]).toContain('only after "test" succeeded');
    expect(texts.at(-1)).toBe('deploy done');
  });

  it('counts the tool that opens sections', async () => {
    const closed = section({
      title: 'Guide',
      key: 'guide',
      template: 'Long.',
      summary: 'Short.',
      visibility: 'summary',
      tools: [done('look')],
    });
    const { texts } = await runSections(
      templateOf([closed, release(order({ deploy: ['open_sections'] }))]).bind(),
      [
        ...calls('deploy'),
        { toolCalls: [{ name: 'open_sections', arguments: { section_keys: ['guide'], reason: 'to read' } }] },
        ...calls('deploy'),
      ],
    );
    expect(texts[0]).toContain('only after "open_sections" succeeded');
    expect(texts.at(-1)).toBe('deploy done');
  });

  it('says which section to open, and what is not available in this run', async () => {
    const closed = section({
      title: 'Outer',
      key: 'outer',
      template: 'Long.',
      summary: 'Short.',
      visibility: 'summary',
      children: [
        section({
          title: 'Inner',
          key: 'inner',
          template: 'Longer.',
          summary: 'Short.',
          visibility: 'summary',
          tools: [done('audit')],
        }),
      ],
    });
    const disabled = section({
      title: 'Signing',
      key: 'signing',
      template: 'Sign.',
      enabled: () => false,
      children: [section({ title: 'Keys', key: 'keys', template: 'Keys.', tools: [done('sign')] })],
    });
    const sections = [testing, closed, disabled];
    const reason = async (needed: readonly string[]): Promise<string | undefined> => {
      const prompt = templateOf([...sections, release(order({ deploy: needed }))]).bind();
      return (await runSections(prompt, calls('deploy'))).texts[0]?.split(' succeeded. ')[1];
    };
    expect(await reason(['test'])).toBe('Call it first.');
    expect(await reason(['audit'])).toBe('Open the section "outer" to get "audit", and call it.');
    expect(await reason(['sign'])).toBe(
      '"sign" is not available in this run, since the section "signing.keys" is disabled. Continue without.',
    );
    expect(await reason(['test', 'sign', 'audit'])).toBe(
      'Call "test" first. Open the section "outer" to get "audit", and call it. ' +
        '"sign" is not available in this run, since the section "signing.keys" is disabled. Continue without.',
    );
  });

  it('records that tool only: it neither checks it nor records others', async () => {
    const recorded: string[] = [];
    const judged: string[] = [];
    const watching: ToolPolicy = {
      name: 'watching',
      dependencies: { deploy: ['test'] },
      check: ({ tool: { name } }) => {
        judged.push(name);
        return PolicyDecision.allow();
      },
      onResult: ({ tool: { name } }) => {
        recorded.push(name);
      },
    };
    const other = section({ title: 'Other', key: 'other', template: 'Look.', tools: [done('look')] });
    const prompt = templateOf([testing, other, release(watching)]).bind();
    await runSections(prompt, calls('look', 'test', 'deploy'));
    expect(judged).toEqual(['deploy']);
    expect(recorded).toEqual(['test', 'deploy']);
    const { boundTools } = await prompt.render();
    expect([...boundTools.values()].map((each) => each.recordingPolicies)).toEqual([[watching], [], []]);
  });

  it('rolls the call back when the success cannot be recorded, naming the policy', async () => {
    const failing: ToolPolicy = {
      name: 'failing',
      dependencies: { deploy: ['test'] },
      onResult: () => {
        throw new Error('disk full');
      },
    };
    const { texts } = await runSections(templateOf([testing, release(failing)]).bind(), calls('test'));
    expect(texts[0]).toContain('The policy "failing" could not record the success of "test"');
  });
});

describe('a policy is refused', () => {
  it('that depends on a tool that the prompt does not have, which are named', () => {
    const error = refusal([testing, release(order({ deploy: ['build'] }))]);
    expect(error.message).toBe(
      'Policy "sequential-dependency" of section "release" depends on the tool "build", which the prompt does not have; ' +
        'its tools are "test", "deploy".',
    );
    expect(error.details).toMatchObject({
      section: 'release',
      policy: 'sequential-dependency',
      tool: 'build',
    });
  });

  it('that depends on a tool which is never recorded: a hosted one, or one without a handler', () => {
    const hosted = hostedTool({ name: 'web', kind: 'web-search', description: 'Searches.', config: {} });
    const web = section({ title: 'Web', key: 'web', template: 'Search.', hostedTools: [hosted] });
    expect(refusal([web, release(order({ deploy: ['web'] }))]).message).toContain(
      'depends on the tool "web", which the provider runs',
    );
    const declared = section({
      title: 'D',
      key: 'd',
      tools: [tool({ name: 'test', description: 'Tests.' })],
    });
    const error = refusal([declared, release(order({ deploy: ['test'] }))]);
    expect(error.message).toContain(
      'depends on the tool "test", which has no handler, so no call of it can succeed',
    );
    expect(error.details).toMatchObject({ section: 'release', tool: 'test' });
  });

  it('that is to guard a tool it does not cover', () => {
    const error = refusal([testing, release(order({ test: ['deploy'] }))]);
    expect(error.message).toBe(
      'Policy "sequential-dependency" of section "release" has a rule for the tool "test" of section "testing", whose calls it ' +
        'is not asked about. Put it on the template, or on a section above both.',
    );
    expect(error.details).toMatchObject({ section: 'release', tool: 'test' });
    const closed = section({ title: 'G', key: 'g', template: 'Long.', summary: 'Short.' });
    expect(refusal([closed, release(order({ open_sections: ['deploy'] }))]).message).toContain(
      'has a rule for the tool "open_sections", whose calls it is not asked about. Put it on the template.',
    );
    expect(() => templateOf([testing, release()], [order({ test: ['deploy'] })])).not.toThrow();
    const above = section({ title: 'All', key: 'all', children: [testing, release()] });
    expect(() => templateOf([{ ...above, policies: [order({ test: ['deploy'] })] }])).not.toThrow();
  });

  it('that no tool waits under', () => {
    for (const dependencies of [{}, { deploy: [] }]) {
      expect(() => order(dependencies)).toThrow(
        expect.objectContaining({
          code: 'prompt-invalid',
          message:
            'The policy "sequential-dependency" has no tool that waits for another; name in `dependencies` which tool needs ' +
            "which, such as { deploy: ['test'] }.",
        }),
      );
    }
    expect(() => order({ deploy: [], test: ['deploy'] })).not.toThrow();
  });

  it('on a section that brings no tool, nor one below it', () => {
    const rules = section({
      title: 'Rules',
      key: 'rules',
      policies: [{ name: 'careful', check: PolicyDecision.allow }],
    });
    const error = refusal([testing, release(), rules]);
    expect(error.message).toBe(
      'Policy "careful" of section "rules" covers no tool: neither that section nor one below it has any. Put it ' +
        'on the section of the tools it is about, on one above, or on the template.',
    );
    expect(error.details).toMatchObject({ section: 'rules', policy: 'careful' });
    const parent = section({ title: 'All', key: 'all', children: [testing] });
    expect(() =>
      templateOf([{ ...parent, policies: [{ name: 'own', check: PolicyDecision.allow }] }]),
    ).not.toThrow();
  });
});

describe('a policy that would never judge a call', () => {
  const own = (policy: object): string => {
    // As written without types.
    return refusal([testing], [{ name: 'own', ...policy }]).message;
  };

  it.each([
    [{}, 'has none of the functions check, checkChanges, onResult: it would never judge a call'],
    [
      { beforeCall: () => PolicyDecision.ask('why') },
      'has none of the functions check, checkChanges, onResult',
    ],
    [{ check: 'deny' }, 'must have a function as check, not a string'],
    [{ check: () => PolicyDecision.allow(), onResult: null }, 'must have a function as onResult, not null'],
    [
      { check: () => PolicyDecision.allow(), checkChange: () => PolicyDecision.deny('no') },
      'has the function "checkChange", which is not called; rename it, or write "checkChanges"',
    ],
  ])('is refused: %o', (policy, message) => {
    expect(own(policy)).toContain(`Policy "own" of the prompt ${message}`);
  });

  it('may have members of its own, and functions of a class', () => {
    class Counted {
      readonly name = 'counted';
      readonly names = new Set<string>();
      check(): PolicyDecision {
        this.#count();
        return PolicyDecision.allow();
      }
      #count(): void {
        this.names.add('a');
      }
    }
    expect(() => templateOf([testing], [new Counted()])).not.toThrow();
  });
});
