import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConversationItem } from 'weakincentives';
import { createRuleModel } from '../../../../examples/review/model/rule-model.ts';
import type { EndedCall } from '../../../../src/cli/report/calls/call.ts';
import type { CallLog } from '../../../../src/cli/report/calls/call-log.ts';
import { draws } from '../../../support/draws.ts';
import { type Files, review, reviewParams } from '../review.ts';

/** Entries of a report, open and ticked, in order. */
function entries(report: string): readonly string[] {
  return report.split('\n').filter((line) => /^- \[[ x]\] /.test(line));
}

/** The calls that are about the folder and the report, not about the plan. */
function work(log: CallLog): readonly EndedCall[] {
  return log.records.filter(({ toolName }) => !toolName.startsWith('planning_'));
}

/** The calls that keep the plan, each with what it was answered. */
function planning(log: CallLog): readonly string[] {
  return log.records
    .filter(({ toolName }) => toolName.startsWith('planning_'))
    .map(({ turn, message }) => `${turn}: ${message}`);
}

describe('findings', () => {
  it('are one line each, whatever files are called, and found again under the same name', async () => {
    const name = 'a\n\n- [ ] `b.ts` is empty: \u202e.ts';
    const files = { [name]: '// TODO: more\n', 'src/a test.ts': '// FIXME: x\n', [`${name}.d/c.ts`]: '' };
    const first = await review(files);
    expect(entries(first.report)).toEqual([
      '- [ ] `"a\\n\\n- [ ] \\u0060b.ts\\u0060 is empty: \\u202e.ts":1` TODO: more',
      '- [ ] `"src/a test.ts":1` FIXME: x',
      '- [ ] `"a\\n\\n- [ ] \\u0060b.ts\\u0060 is empty: \\u202e.ts.d/c.ts"` is empty',
    ]);
    const second = await review({ ...files, 'REVIEW.md': first.report });
    expect(second.report).not.toContain('settled');
    expect(entries(second.report).filter((entry) => entry.includes('TODO'))).toHaveLength(1);
  });

  it('come from every rule, by kind and path', async () => {
    const { report, outcome, text } = await review({
      'README.md': '[ok](src/long.ts#L3) [gone](docs/gone.md) [web](https://example.com)\n',
      'src/long.ts': 'export const a = 1;\n'.repeat(11),
      'src/wide.ts': `export const a = '${'x'.repeat(90)}';\n`,
      'src/mark.ts': 'export function f() {}\n// TODO: more\n',
      'src/merge.ts': '<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n',
      'src/empty.ts': '',
      'settings.ini': '; FIXME: secret\n',
      'test/long.test.ts': "import '../src/long.ts';\nimport '../src/mark.ts';\n",
    });
    expect(entries(report)).toEqual([
      '- [ ] `src/merge.ts:1` unresolved merge conflict',
      '- [ ] `README.md:1` broken link to docs/gone.md',
      '- [ ] `settings.ini:1` FIXME: secret',
      '- [ ] `src/mark.ts:2` TODO: more',
      '- [ ] `src/long.ts` has 11 lines, more than 10',
      '- [ ] `src/wide.ts:1` 1 line longer than 80 characters, up to 110',
      '- [ ] `src/wide.ts` has no test: none is named after it, none reaches it through imports',
      '- [ ] `src/empty.ts` is empty',
    ]);
    expect(outcome).toEqual({ findings: 8, isPublished: true });
    expect(text).toBe('Published REVIEW.md with 8 findings.');
    expect(report).toContain('8 findings in 7 files.');
  });

  it('are published whatever line separators a link, a mark or the name of a file holds', async () => {
    const { report, outcome } = await review({
      'README.md': '[a](docs/li\u2028ne.md) [na\u2029me](gone.md)\n',
      'src/na\u2028me.ts': '// TODO: first\u2029second\n',
      'notes\u2029.md': '[b](gone.md)\n',
      'test/x.test.ts': '',
    });
    expect(outcome.isPublished).toBe(true);
    expect(entries(report)).toEqual(
      expect.arrayContaining([
        '- [ ] `README.md:1` broken link to docs/li\\u2028ne.md',
        '- [ ] `README.md:1` broken link to gone.md',
        '- [ ] `"notes\\u2029.md":1` broken link to gone.md',
        '- [ ] `"src/na\\u2028me.ts":1` TODO: first\\u2029second',
      ]),
    );
  });

  it('leave out test data, generated files and files that are meant to be empty', async () => {
    const { report } = await review({
      'test/fixtures/a.ts': '// TODO: data\n',
      'package-lock.json': '// TODO: generated\n',
      'pkg/__init__.py': '',
      'keep/.gitkeep': '',
    });
    expect(entries(report)).toEqual([]);
    expect(report).toContain('Not reviewed, test data: `test/fixtures/a.ts`.');
    expect(report).toContain('Not reviewed, generated: `package-lock.json`.');
  });

  it('leave out links to what is not in the workspace', async () => {
    const { report } = await review(
      { 'a.md': '[1](dist/x.js) [2](big.bin) [3](linked/deep/y.md) [4](gone.md)' },
      {
        skipped: [
          { path: 'big.bin', reason: 'file-too-large' },
          { path: 'linked', reason: 'symlink' },
        ],
      },
    );
    expect(entries(report)).toEqual(['- [ ] `a.md:1` broken link to gone.md']);
    expect(report).toContain('Not reviewed, not in the workspace: `big.bin`, `linked`.');
  });

  it('are bounded by kind, and the last one says how many more there are', async () => {
    const { report, outcome } = await review({ 'a.py': '# TODO: x\n'.repeat(100), 'b.py': '# TODO: y\n' });
    expect(outcome).toEqual({ findings: 42, isPublished: true });
    expect(entries(report)).toContain('- [ ] `.` 61 more of this kind in 1 file');
    expect(entries(report)).toContain('- [ ] `b.py:1` TODO: y');
  });
});

describe('the tools’ answers', () => {
  it('make it read on where a window ends', async () => {
    const lines = Array.from({ length: 4500 }, (_, index) => (index === 4400 ? '// TODO: late' : 'x();'));
    const { report, log } = await review({ 'a.js': `${lines.join('\n')}\n` });
    expect(
      log.records.filter((record) => record.toolName === 'read_file').map((record) => record.subject),
    ).toEqual(['a.js', 'a.js offset=2000', 'a.js offset=4000']);
    expect(entries(report)).toContain('- [ ] `a.js:4401` TODO: late');
    expect(entries(report)).toContain('- [ ] `a.js` has 4500 lines, more than 10');
  });

  it('make it look for the rest of a cut listing', async () => {
    const names = Array.from({ length: 700 }, (_, index) => `many/f${String(index).padStart(3, '0')}.js`);
    const files: Files = Object.fromEntries(names.map((name) => [name, 'x();\n']));
    const { report, log } = await review({
      ...files,
      'many/z/last.js': '// TODO: far\n',
      'a.md': '[x](many/f650.js)',
    });
    expect(log.records.some(({ toolName, subject }) => toolName === 'glob' && subject === '** many')).toBe(
      true,
    );
    expect(entries(report)).toContain('- [ ] `many/z/last.js:1` TODO: far');
    expect(report).not.toContain('broken link');
  });

  it('make it search part by part when a search is cut', async () => {
    const noise = '# TODO: x\n'.repeat(300);
    const { log, report } = await review({
      'a/noise.py': noise,
      'b/noise.py': noise,
      'c/notes.txt': '# HACK: rare\n',
    });
    const searches = log.records.filter(
      ({ toolName, subject }) => toolName === 'grep' && subject.includes('TODO'),
    );
    expect(searches.map(({ subject }) => subject.replace(/^\S+ ?/, ''))).toEqual([
      '',
      '.',
      'a',
      'b',
      'c',
      'a',
      'b',
    ]);
    expect(entries(report)).toContain('- [ ] `c/notes.txt:1` HACK: rare');
  });

  it('make it continue without a file that cannot be read', async () => {
    const { report, outcome } = await review({ 'a.ts': new Uint8Array([0, 1]), 'b.ts': '// TODO: b\n' });
    expect(outcome.isPublished).toBe(true);
    expect(report).toContain('Not reviewed, binary: `a.ts`.');
  });

  it('make it read a report that stands there, after it was refused to overwrite it', async () => {
    const { log, report } = await review({ 'REVIEW.md': 'old words\n'.repeat(2500), 'a.md': 'hello' });
    const calls = work(log).slice(work(log).findIndex(({ toolName }) => toolName === 'write_file'));
    expect(
      calls.map(({ toolName, subject, outcome, policy }) => [toolName, subject, outcome, policy]),
    ).toEqual([
      ['write_file', 'REVIEW.md', 'denied', 'read-before-write'],
      ['read_file', 'REVIEW.md', 'committed', undefined],
      ['read_file', 'REVIEW.md offset=2000', 'committed', undefined],
      ['write_file', 'REVIEW.md', 'committed', undefined],
      ['publish_report', '', 'committed', undefined],
    ]);
    expect(report).not.toContain('old words');
  });

  it('make it account for what a refused publication named, and publish then', async () => {
    const previous = [
      '- [ ] `kept.ts:9` TODO: still here',
      '- [ ] `fixed.ts:2` TODO: was done',
      '- [ ] `gone.ts:1` FIXME: whatever',
      '- [ ] `fixed.ts` ask legal about the licence',
      '- [ ] write a guide',
      '- [x] closed long ago',
    ];
    const { report, log, outcome } = await review({
      'REVIEW.md': previous.join('\n'),
      'kept.ts': '// TODO: still here\n',
      'fixed.ts': 'x();\n',
      'fixed.test.ts': "import './kept.ts';\n",
    });
    expect(
      work(log)
        .slice(-4)
        .map(({ toolName, outcome: how }) => `${toolName} ${how}`),
    ).toEqual([
      'publish_report rolled-back',
      'read_file committed',
      'edit_file committed',
      'publish_report committed',
    ]);
    expect(outcome.isPublished).toBe(true);
    expect(report).toContain(`## Since the previous review

- [x] \`fixed.ts:2\` TODO: was done
  - settled: not found any more
- [x] \`gone.ts:1\` FIXME: whatever
  - settled: there is no gone.ts any more
- [ ] \`fixed.ts\` ask legal about the licence
  - carried over: no rule can judge it
- [ ] write a guide
  - carried over: no rule can judge it
`);
    expect(report).not.toContain('closed long ago');
  });

  it('make it look into a file that only the previous report is about', async () => {
    const { report, log } = await review({
      'REVIEW.md': '- [ ] `test/fixtures/a.ts:1` TODO: in data\n- [ ] `test/fixtures/b.ts:1` TODO: gone\n',
      'test/fixtures/a.ts': '// TODO: in data\n',
      'test/fixtures/b.ts': 'x();\n',
    });
    const calls = work(log);
    const refused = calls.findIndex(({ outcome }) => outcome === 'rolled-back');
    expect(
      calls
        .slice(refused + 1, refused + 4)
        .map(({ turn, subject }) => [turn - (calls[refused]?.turn ?? 0), subject]),
    ).toEqual([
      [1, 'REVIEW.md'],
      [1, 'test/fixtures/a.ts'],
      [1, 'test/fixtures/b.ts'],
    ]);
    expect(entries(report)).toEqual([
      '- [ ] `test/fixtures/a.ts:1` TODO: in data',
      '- [x] `test/fixtures/b.ts:1` TODO: gone',
    ]);
  });

  it('make it stop with a reason when the report cannot be written', async () => {
    const { outcome, text } = await review({ 'REVIEW.md': new Uint8Array([0]) });
    expect(outcome.isPublished).toBe(false);
    expect(text).toContain('REVIEW.md could not be written');
    expect(text).toContain('binary');
    expect((await review({ 'REVIEW.md/a.txt': 'x' })).text).toContain('REVIEW.md could not be written');
  });
});

describe('the plan of a review', () => {
  it('is set up with the first calls, follows the stages, and is completed once the report is out', async () => {
    const { log, text } = await review({ 'a.ts': '// TODO: x\n' });
    expect(planning(log)).toEqual([
      '1: Set up a plan with 5 steps.',
      '1: Updated step 1. 0 of 5 steps done.',
      '2: Updated step 1. 1 of 5 steps done.',
      '2: Updated step 2. 1 of 5 steps done.',
      '3: Updated step 2. 2 of 5 steps done.',
      '3: Updated step 3. 2 of 5 steps done.',
      '4: Updated step 3. 3 of 5 steps done.',
      '4: Updated step 4. 3 of 5 steps done.',
      '5: Updated step 4. 4 of 5 steps done.',
      '5: Updated step 5. 4 of 5 steps done.',
      '6: Updated step 5. The plan is completed: 5 steps done.',
    ]);
    // Only the last of these turns is there for the plan alone.
    expect(work(log).map(({ turn }) => turn)).toEqual([1, 1, 1, 1, 1, 2, 3, 4, 5]);
    expect(text).toBe('Published REVIEW.md with 1 findings.');
  });

  it('skips stages that a folder has no work for', async () => {
    const { log } = await review({});
    expect(planning(log).slice(2, 6)).toEqual([
      '2: Updated step 1. 1 of 5 steps done.',
      '2: Updated step 2. 2 of 5 steps done.',
      '2: Updated step 3. 3 of 5 steps done.',
      '2: Updated step 4. 3 of 5 steps done.',
    ]);
  });

  it('goes back to the writing when the publication is refused, and stays there when it gives up', async () => {
    const back = await review({ 'REVIEW.md': '- [ ] ask legal\n', 'a.ts': 'x();\n' });
    const steps = planning(back.log).map((line) => line.replace(/^\d+: /, ''));
    expect(steps.slice(-5)).toEqual([
      'Updated step 4. 3 of 5 steps done.',
      'Updated step 5. 3 of 5 steps done.',
      'Updated step 4. 4 of 5 steps done.',
      'Updated step 5. 4 of 5 steps done.',
      'Updated step 5. The plan is completed: 5 steps done.',
    ]);
    const stuck = await review({ 'REVIEW.md': new Uint8Array([0]) });
    expect(planning(stuck.log).at(-1)).toMatch(/Updated step 4\. 3 of 5 steps done\.$/);
  });

  it('is given up when a planning call is refused, and the review continues without', () => {
    const decide = createRuleModel(reviewParams);
    const first = decide([]);
    const conversation: ConversationItem[] = [
      {
        type: 'assistant',
        content: first.toolCalls.map((call, index) => ({
          type: 'tool-call',
          callId: `c${index}`,
          name: call.name,
          arguments: JSON.stringify(call.arguments),
        })),
      },
      ...first.toolCalls.map(
        ({ name }, index): ConversationItem => ({
          type: 'tool-result',
          callId: `c${index}`,
          toolName: name,
          text: name === 'ls' ? '1 entry in .\n\na.md (3 bytes)' : 'No.',
          isError: name.startsWith('planning_'),
        }),
      ),
    ];
    expect(first.toolCalls.map(({ name }) => name).slice(0, 3)).toEqual([
      'planning_setup_plan',
      'planning_update_step',
      'list_unmounted',
    ]);
    expect(decide(conversation)).toEqual({
      text: 'Reading files.',
      toolCalls: [{ name: 'read_file', arguments: { file_path: 'a.md' } }],
    });
  });
});

describe('createRuleModel', () => {
  it('reviews its own report without changing anything but the status of it', async () => {
    const files = { 'a.ts': '// TODO: x\nfunction f() {}\n', 'b.md': '[x](gone.md)' };
    const first = await review(files);
    const second = await review({ ...files, 'REVIEW.md': first.report });
    expect(second.report).toBe(first.report);
    expect(second.log.totals().outcomes['rolled-back']).toBe(0);
  });

  it('decides from the conversation alone: a fresh model decides the same at every turn', async () => {
    const path = fc.constantFrom(
      'a.ts',
      'src/b.py',
      'src/b.test.ts',
      'docs/c.md',
      'REVIEW.md',
      'test/fixtures/d.ts',
      'e.txt',
    );
    const line = fc.constantFrom(
      '// TODO: x',
      '# FIXME: y',
      '[l](gone.md)',
      'function f() {}',
      '- [ ] `a.ts:1` TODO: x',
      '- [ ] ask',
      '',
    );
    const content = fc.array(line, { maxLength: 14 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(path, content, { maxKeys: 6 }), async (files) => {
        const { conversation, outcome } = await review(files);
        expect(outcome.isPublished).toBe(true);
        const wandering = createRuleModel(reviewParams);
        const turns = conversation.flatMap((item, index) => (item.type === 'assistant' ? [index] : []));
        for (const index of [...turns, ...turns.toReversed()]) {
          const said = spoken(conversation[index]);
          const before = conversation.slice(0, index);
          expect(decided(createRuleModel(reviewParams)(before))).toEqual(said);
          expect(decided(wandering(before))).toEqual(said);
        }
      }),
      { numRuns: draws(25) },
    );
  });
});

interface Said {
  readonly text: string;
  readonly calls: readonly string[];
}

function spoken(item: ConversationItem | undefined): Said {
  const content = item?.type === 'assistant' ? item.content : [];
  return {
    text: content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    calls: content.flatMap((part) => (part.type === 'tool-call' ? [`${part.name} ${part.arguments}`] : [])),
  };
}

function decided(turn: ReturnType<ReturnType<typeof createRuleModel>>): Said {
  return {
    text: turn.text,
    calls: turn.toolCalls.map((call) => `${call.name} ${JSON.stringify(call.arguments)}`),
  };
}
