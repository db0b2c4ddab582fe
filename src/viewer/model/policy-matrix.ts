import { present } from '../../core/internal/index.ts';
import type { PolicyAnswer } from '../../core/runtime/index.ts';
import type { RecordedCall, RecordedRun } from '../../record/index.ts';

/** The weightiest answer of a policy about a call. `unenforced`: it would have refused or asked. */
export type PolicyCell = {
  readonly decision: 'allow' | 'ask' | 'deny' | 'unenforced';
  readonly answer: PolicyAnswer;
};

export interface PolicyRow {
  readonly policy: string;
  /** The prompt whose policy it is, where that is an outer one. */
  readonly prompt?: string;
  /** By the index of the call. */
  readonly cells: ReadonlyMap<number, PolicyCell>;
  readonly counts: Readonly<Record<PolicyCell['decision'] | 'none', number>>;
}

export interface PolicyMatrix {
  readonly calls: readonly RecordedCall[];
  readonly rows: readonly PolicyRow[];
}

const weight: Readonly<Record<PolicyCell['decision'], number>> = { allow: 0, unenforced: 1, ask: 2, deny: 3 };

/** Every policy that was asked in an evaluation against each of its calls. */
export function policyMatrix(run: RecordedRun): PolicyMatrix {
  const calls = run.turns.flatMap((turn) => turn.calls);
  const cells = new Map<string, Map<number, PolicyCell>>();
  const names = new Map<string, { readonly policy: string; readonly prompt?: string }>();
  const rowFor = (policy: string, prompt: string | undefined): Map<number, PolicyCell> => {
    const key = JSON.stringify([policy, prompt ?? null]);
    const found = cells.get(key) ?? new Map<number, PolicyCell>();
    cells.set(key, found);
    names.set(key, { policy, ...present({ prompt }) });
    return found;
  };
  for (const policy of run.policies) rowFor(policy, undefined);
  calls.forEach((call, index) => {
    for (const answer of call.attempts.at(-1)?.policies ?? []) {
      const row = rowFor(answer.policy, answer.policyPrompt);
      const cell = cellOf(answer);
      const former = row.get(index);
      if (former === undefined || weight[cell.decision] > weight[former.decision]) row.set(index, cell);
    }
  });
  const rows = [...cells].map(([key, row]) => {
    const counts = { allow: 0, ask: 0, deny: 0, unenforced: 0, none: calls.length - row.size };
    for (const { decision } of row.values()) counts[decision] += 1;
    const name = names.get(key) ?? { policy: key };
    return { ...name, cells: row, counts };
  });
  return { calls, rows };
}

function cellOf(answer: PolicyAnswer): PolicyCell {
  if (answer.outcome === 'allow') return { decision: 'allow', answer };
  return { decision: answer.isEnforced ? answer.outcome : 'unenforced', answer };
}
