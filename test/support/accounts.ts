import {
  type NamedResourceToken,
  type ParallelProtocol,
  type ResourceTransaction,
  resourceToken,
  TransactionClosedError,
} from 'weakincentives';

/** Amounts by name: what a transactional resource of the tests holds. */
export interface Accounts {
  get(name: string): number;
  set(name: string, amount: number): void;
}

/** The accounts themselves, with a version for each, so that a reader can tell whether they were changed. */
export interface Bank extends Accounts {
  readonly amounts: Map<string, number>;
  readonly versions: Map<string, number>;
}

export const Accounts: NamedResourceToken<Accounts> = resourceToken<Accounts>('accounts');

/** Accounts with these amounts. */
export function bankOf(amounts: Readonly<Record<string, number>> = {}): Bank {
  const bank: Bank = {
    amounts: new Map(Object.entries(amounts)),
    versions: new Map(),
    get: (name) => bank.amounts.get(name) ?? 0,
    set: (name, amount) => {
      bank.amounts.set(name, amount);
      bank.versions.set(name, (bank.versions.get(name) ?? 0) + 1);
    },
  };
  return bank;
}

/** Places where a protocol of the tests can be made to fail, and what it writes down. */
export interface BankHooks {
  readonly lines?: string[];
  readonly name?: string;
  readonly mayFail?: boolean;
  readonly begin?: () => void | Promise<void>;
  readonly conflicts?: () => void | Promise<void>;
  readonly commit?: () => void | Promise<void>;
  readonly rollback?: () => void | Promise<void>;
}

/** Reads and writes of a bank transaction. */
export function beginOn(
  bank: Accounts & Partial<Pick<Bank, 'versions'>>,
  hooks: BankHooks = {},
): Required<Omit<ResourceTransaction<Accounts>, '~commitWith'>> {
  const { lines = [], name = 'accounts' } = hooks;
  const read = new Map<string, number>();
  const written = new Map<string, number>();
  let isClosed = false;
  const version = (key: string): number => bank.versions?.get(key) ?? 0;
  const assertOpen = (): void => {
    if (isClosed) throw new TransactionClosedError(`The view of ${name} is closed.`);
  };
  // A hook that answers at once keeps the whole protocol synchronous.
  const after = (hook: (() => void | Promise<void>) | undefined, act: () => void): void | Promise<void> => {
    const done = hook?.();
    return done instanceof Promise ? done.then(act) : act();
  };
  return {
    view: {
      get: (key) => {
        assertOpen();
        const own = written.get(key);
        if (own !== undefined) return own;
        if (!read.has(key)) read.set(key, version(key));
        return bank.get(key);
      },
      set: (key, amount) => {
        assertOpen();
        written.set(key, amount);
      },
    },
    revoke: () => {
      isClosed = true;
      lines.push(`close ${name}`);
    },
    conflicts: () => {
      const find = (): readonly string[] =>
        [...read].filter(([key, seen]) => version(key) !== seen).map(([key]) => `account ${key}`);
      const done = hooks.conflicts?.();
      return done instanceof Promise ? done.then(find) : find();
    },
    commit: () =>
      after(hooks.commit, () => {
        for (const [key, amount] of written) bank.set(key, amount);
        lines.push(`commit ${name}`);
      }),
    rollback: () =>
      after(hooks.rollback, () => {
        written.clear();
        lines.push(`rollback ${name}`);
      }),
  };
}

/** Accounts that many calls may use at the same time. */
export function parallelAccounts(hooks: BankHooks = {}): ParallelProtocol<Accounts> {
  return {
    parallel: true,
    mayFail: hooks.mayFail ?? false,
    begin: async (bank) => {
      await hooks.begin?.();
      hooks.lines?.push(`begin ${hooks.name ?? 'accounts'}`);
      return beginOn(bank, hooks);
    },
  };
}
