import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  defineEvent,
  defineSlice,
  type FileChange,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  Session,
  type Slice,
  section,
  ToolCallLog,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../support/draws.ts';

/** What a policy says about calls of a tool, or about changes below a path; everything else it allows. */
interface Rule {
  readonly name: string;
  readonly phase: 'check' | 'changes';
  readonly tool: 'write' | 'delegate' | 'any';
  readonly prefix: '' | 'a' | 'b';
  readonly outcome: 'allow' | 'deny' | 'ask';
  /** Whether its reason names what it is about. */
  readonly isPlain: boolean;
  readonly scope: 'subtree' | 'own' | undefined;
}

/** A prompt: its policies by their numbers, and what its model calls, one after the other. */
interface Node {
  readonly onTemplate: readonly number[];
  readonly onSection: readonly number[];
  readonly calls: readonly ({ readonly path: string; readonly text: string } | Node)[];
}

interface Case {
  readonly rules: readonly Rule[];
  readonly root: Node;
  readonly enforce: boolean;
  /** Which reasons are approved. */
  readonly yes: readonly boolean[];
}

/** What is compared of a call. */
interface Line {
  readonly depth: number;
  readonly tool: string;
  readonly outcome: string;
  readonly policy?: string | undefined;
  readonly policyPrompt?: string | undefined;
  readonly shadow: readonly string[];
  readonly approvals: readonly string[];
}

const ruleCount = 5;
const rule: fc.Arbitrary<Rule> = fc.record({
  // Names that occur several times, in different prompts.
  name: fc.constantFrom('one', 'two', 'three'),
  phase: fc.constantFrom('check', 'changes'),
  tool: fc.constantFrom('write', 'delegate', 'any'),
  prefix: fc.constantFrom('', 'a', 'b'),
  outcome: fc.constantFrom('allow', 'deny', 'ask', 'ask'),
  isPlain: fc.boolean(),
  scope: fc.constantFrom(undefined, undefined, 'subtree', 'own'),
});
const numbers = fc.uniqueArray(fc.nat(ruleCount - 1), { maxLength: 2 });
const leaf = fc.record({
  path: fc.constantFrom('a/1', 'a/2', 'b/1', 'c'),
  text: fc.constantFrom('x', 'y'),
});
const { node } = fc.letrec<{ node: Node; call: Node['calls'][number] }>((tie) => ({
  node: fc.record({
    onTemplate: numbers,
    onSection: numbers,
    calls: fc.array(tie('call'), { minLength: 1, maxLength: 3 }),
  }),
  call: fc.oneof({ depthSize: 'small', maxDepth: 3 }, leaf, tie('node')),
}));
const anyCase: fc.Arbitrary<Case> = fc.record({
  rules: fc.array(rule, { minLength: ruleCount, maxLength: ruleCount }),
  root: node,
  enforce: fc.constantFrom(true, true, false),
  yes: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
});

/** The policies of a prompt, those of its section first; of several with one name the first. */
function ruleNumbers({ onSection, onTemplate }: Node, rules: readonly Rule[]): readonly number[] {
  const names = new Set<string>();
  return [...onSection, ...onTemplate].filter((number, index, all) => {
    const name = rules[number]?.name ?? '';
    if (all.indexOf(number) !== index || names.has(name)) return false;
    names.add(name);
    return true;
  });
}

const isApproved = (reason: string, yes: readonly boolean[]): boolean =>
  yes[[...reason].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % yes.length] === true;

/** What a rule says. `about`: the path of a call, or the paths that were changed. */
function decide(
  { phase, tool: of, prefix, outcome, isPlain }: Rule,
  at: Rule['phase'],
  toolName: string,
  about: readonly string[],
): { readonly outcome: Rule['outcome']; readonly reason: string } {
  const isMeant =
    phase === at &&
    (of === 'any' || toolName.startsWith(of)) &&
    (toolName !== 'write' && at === 'check' ? prefix === '' : about.some((path) => path.startsWith(prefix)));
  const reason = isPlain ? 'because' : `because of ${about.join(' ')}`;
  return { outcome: isMeant ? outcome : 'allow', reason };
}

// ---------------------------------------------------------------------------------------------- the library

const Seen = defineEvent({ name: 'seen', schema: z.object({ what: z.string() }) });
const Seens: Slice<{ what: string }> = defineSlice({
  name: 'seens',
  schema: z.object({ what: z.string() }),
  reducers: (on) => [on(Seen, (items, payload) => items.append(payload))],
});
const toDecision = ({ outcome, reason }: ReturnType<typeof decide>): PolicyDecision =>
  outcome === 'allow'
    ? PolicyDecision.allow()
    : outcome === 'deny'
      ? PolicyDecision.deny(reason)
      : PolicyDecision.ask(reason);

const write = tool({
  name: 'write',
  description: 'Writes.',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  effects: 'state',
  execute: async ({ path, text }, { filesystem }) => {
    await filesystem.write(path, text);
    return ToolResult.ok(null);
  },
});

interface Outcome {
  readonly lines: readonly Line[];
  readonly files: Readonly<Record<string, string>>;
  readonly seen: readonly string[];
  readonly asked: readonly string[];
}

async function runLibrary({ rules, root, enforce, yes }: Case): Promise<Outcome> {
  const policies = rules.map(
    (each, number): ToolPolicy => ({
      name: each.name,
      slices: [Seens],
      ...(each.scope === undefined ? {} : { scope: each.scope }),
      check: ({ tool: { name }, params }) => {
        const { path } = z.object({ path: z.string().optional() }).parse(params ?? {});
        return toDecision(decide(each, 'check', name, path === undefined ? [] : [path]));
      },
      checkChanges: ({ tool: { name } }, changes) =>
        toDecision(
          decide(
            each,
            'changes',
            name,
            changes.map(({ path }: FileChange) => path),
          ),
        ),
      onResult: ({ tool: { name }, path }, _result, { session }) =>
        session.dispatch(Seen, { what: `${number} ${path.length} ${name}` }),
    }),
  );
  const files = new MemoryFilesystem();
  const scripts = new Map<string, Node>();
  const promptOf = (each: Node, isRoot: boolean): Prompt<undefined> => {
    const key = `node-${scripts.size}`;
    scripts.set(key, each);
    const used = ruleNumbers(each, rules);
    const chosen = (numbersOf: readonly number[]) =>
      used.filter((number) => numbersOf.includes(number)).flatMap((number) => policies[number] ?? []);
    const onSection = chosen(each.onSection);
    const delegates = each.calls.flatMap((call, index): readonly AnyTool[] => {
      if ('path' in call) return [];
      const inner = promptOf(call, false);
      return [
        tool({
          name: `delegate-${index}`,
          description: 'Delegates.',
          effects: 'state',
          execute: async (_params, { adapter }) => {
            await adapter.evaluate(inner);
            return ToolResult.ok(null);
          },
        }),
      ];
    });
    return promptTemplate({
      ns: 'test',
      key,
      policies: chosen(each.onTemplate).filter((policy) => !onSection.includes(policy)),
      resources: isRoot ? [binding(Filesystem, { instance: files })] : [],
      sections: [
        section({
          title: key,
          key,
          template: `This is ${key}.`,
          tools: [write, ...delegates],
          policies: onSection,
          slices: [Seens],
        }),
      ],
    }).bind();
  };
  const prompt = promptOf(root, true);
  const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
    const key = /This is (node-\d+)\./.exec(instructions)?.[1] ?? '';
    const call = scripts.get(key)?.calls[turn - 1];
    if (call === undefined) return { text: 'Done.' };
    return {
      toolCalls: [
        'path' in call ? { name: 'write', arguments: { ...call } } : { name: `delegate-${turn - 1}` },
      ],
    };
  });
  const session = new Session();
  const asked: string[] = [];
  await adapter.evaluate(prompt, {
    session,
    enforce,
    approve: ({ policy, reason, toolName, path }) => {
      asked.push(`${path.length} ${toolName} ${policy} ${reason}`);
      return isApproved(reason, yes);
    },
  });
  const found: Record<string, string> = {};
  for (const path of (await files.glob('**')).paths) found[path] = (await files.read(path)).text;
  return {
    lines: session
      .slice(ToolCallLog)
      .all()
      .map(
        ({
          parentCallIds = [],
          toolName,
          outcome,
          policy,
          policyPrompt,
          unenforced: shadow = [],
          approvals = [],
        }) => ({
          depth: parentCallIds.length,
          tool: toolName,
          outcome,
          policy,
          policyPrompt,
          shadow: shadow.map((each) => `${each.policy} ${each.policyPrompt} ${each.outcome} ${each.reason}`),
          approvals: approvals.map(
            (each) => `${each.policy} ${each.policyPrompt} ${each.reason} ${each.approved}`,
          ),
        }),
      ),
    files: found,
    seen: session
      .slice(Seens)
      .all()
      .map(({ what }) => what),
    asked,
  };
}

// ---------------------------------------------------------------------------------------------- the reference

interface Governing {
  readonly number: number;
  readonly rule: Rule;
  readonly prompt: string | undefined;
}
type Files = ReadonlyMap<string, string>;
interface Approved {
  readonly policy: string;
  readonly reason: string;
  readonly changes: Files | undefined;
}
/** What was approved for a call, and for calls inside it. */
interface Memory {
  readonly given: Approved[];
  readonly inside: Approved[];
  readonly outer: Memory | undefined;
}
interface State {
  files: Files;
  /** What was written in the call around, also where it was there before. */
  written: Files;
  seen: readonly string[];
}

const areSame = (left: Files | undefined, right: Files | undefined): boolean =>
  JSON.stringify(left && [...left]) === JSON.stringify(right && [...right]);

function runReference({ rules, root, enforce, yes }: Case): Outcome {
  const lines: Line[] = [];
  const asked: string[] = [];
  let prompts = 0;

  const covers = ({ given, inside }: Memory, { policy, reason, changes }: Approved): boolean => {
    const isSame = (each: Approved): boolean => each.policy === policy && each.reason === reason;
    if (given.some((each) => isSame(each) && areSame(each.changes, changes))) return true;
    const within = inside.filter(isSame).flatMap((each) => [...(each.changes ?? [])]);
    return (
      changes !== undefined &&
      within.length > 0 &&
      [...changes].every(([path, text]) => within.some(([at, what]) => at === path && what === text))
    );
  };

  const evaluate = (
    each: Node,
    depth: number,
    outer: readonly Governing[],
    state: State,
    around?: Memory,
  ): void => {
    const prompt = `node-${names.get(each)}`;
    const own = ruleNumbers(each, rules)
      .filter((number) => outer.every((governing) => governing.number !== number))
      .flatMap((number): readonly Governing[] => {
        const found = rules[number];
        return found === undefined ? [] : [{ number, rule: found, prompt: undefined }];
      });
    const governing = [...outer, ...own];
    const inside = [
      ...outer,
      ...own.filter(({ rule: { scope } }) => scope !== 'own').map((found) => ({ ...found, prompt })),
    ];
    each.calls.forEach((call, index) => {
      const toolName = 'path' in call ? 'write' : `delegate-${index}`;
      const memory: Memory = { given: [], inside: [], outer: around };
      const shadow: string[] = [];
      const approvals: string[] = [];
      const end = (outcome: string, by?: Governing): void => {
        lines.push({
          depth,
          tool: toolName,
          outcome,
          policy: by?.rule.name,
          policyPrompt: by?.prompt,
          shadow,
          approvals,
        });
      };
      /** Whether the call may continue. */
      const judge = (at: Rule['phase'], about: readonly string[], changes: Files | undefined): boolean => {
        const questions: { readonly by: Governing; readonly reason: string }[] = [];
        for (const by of governing) {
          const { outcome, reason } = decide(by.rule, at, toolName, about);
          if (outcome === 'allow') continue;
          if (!enforce) {
            shadow.push(`${by.rule.name} ${by.prompt} ${outcome} ${reason}`);
            continue;
          }
          if (outcome === 'deny') {
            end('denied', by);
            return false;
          }
          questions.push({ by, reason });
        }
        for (const { by, reason } of questions) {
          const approved: Approved = { policy: by.rule.name, reason, changes };
          if (covers(memory, approved)) continue;
          asked.push(`${depth} ${toolName} ${by.rule.name} ${reason}`);
          const isYes = isApproved(reason, yes);
          approvals.push(`${by.rule.name} ${by.prompt} ${reason} ${isYes}`);
          if (!isYes) {
            end('denied', by);
            return false;
          }
          memory.given.push(approved);
          for (let level = around; level !== undefined; level = level.outer) level.inside.push(approved);
        }
        return true;
      };
      if (!judge('check', 'path' in call ? [call.path] : [], undefined)) return;
      const work: State = { files: state.files, written: new Map(), seen: state.seen };
      if ('path' in call) {
        work.written = new Map([[call.path, call.text]]);
        work.files = new Map([...state.files, ...work.written]);
      } else evaluate(call, depth + 1, inside, work, memory);
      const changes = new Map([...work.written].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      if (changes.size > 0 && !judge('changes', [...changes.keys()], changes)) return;
      state.files = work.files;
      state.written = new Map([...state.written, ...work.written]);
      state.seen = [...work.seen, ...governing.map(({ number }) => `${number} ${depth} ${toolName}`)];
      end('committed');
    });
  };
  const names = new Map<Node, number>();
  const number = (each: Node): void => {
    names.set(each, prompts);
    prompts += 1;
    for (const call of each.calls) if (!('path' in call)) number(call);
  };
  number(root);
  const state: State = { files: new Map(), written: new Map(), seen: [] };
  evaluate(root, 0, [], state);
  return { lines, files: Object.fromEntries(state.files), seen: state.seen, asked };
}

test('policies decide about every call of nested evaluations as a simple model says', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (each) => {
      const expected = runReference(each);
      const actual = await runLibrary(each);
      expect(actual.lines).toEqual(expected.lines);
      expect(actual.asked).toEqual(expected.asked);
      expect(actual.files).toEqual(expected.files);
      expect(actual.seen).toEqual(expected.seen);
    }),
    { numRuns: draws(200) },
  );
});
