import type {
  AnyResourceBinding,
  NamedResourceToken,
  ParallelProtocol,
  SerialProtocol,
} from 'weakincentives';
import type { Library } from './library.ts';

/** Numbers by key: a resource of the calls. */
export interface Accounts {
  get(key: string): number;
  set(key: string, value: number): void;
  total(): number;
}

/** The accounts themselves. */
export interface Book extends Accounts {
  readonly entries: Map<string, number>;
}

/** How the accounts join the transactions of the calls. */
export type AccountsMode = 'parallel' | 'snapshots';

/** How the accounts of one run are reached, bound, and looked at in the end. */
export interface AccountsKit {
  readonly token: NamedResourceToken<Accounts>;
  /** Fresh accounts for one run. */
  open(mode: AccountsMode): { readonly binding: AnyResourceBinding; readonly book: Book };
}

const makeBook = (): Book => {
  const entries = new Map<string, number>();
  return {
    entries,
    get: (key) => entries.get(key) ?? 0,
    set: (key, value) => {
      entries.set(key, value);
    },
    total: () => [...entries.values()].reduce((sum, value) => sum + value, 0),
  };
};

/** The accounts on this copy of the library. */
export function accountsFor(library: Library): AccountsKit {
  const token = library.resourceToken<Accounts>('accounts');

  /** Each view keeps its writes to itself and remembers what it saw. */
  const parallel: ParallelProtocol<Accounts> = {
    parallel: true,
    begin: async (book) => {
      const seen = new Map<string, number>();
      const written = new Map<string, number>();
      let seenTotal: number | undefined;
      const look = (key: string): number => {
        const value = seen.get(key) ?? book.get(key);
        seen.set(key, value);
        return value;
      };
      return {
        ...library.revocableView<Accounts>({
          get: (key) => written.get(key) ?? look(key),
          set: (key, value) => {
            written.set(key, value);
          },
          total: () => {
            seenTotal ??= book.total();
            let total = seenTotal;
            for (const [key, value] of written) total += value - look(key);
            return total;
          },
        }),
        conflicts: () => {
          const changed = [...seen].filter(([key, value]) => book.get(key) !== value).map(([key]) => key);
          const names =
            seenTotal === undefined || seenTotal === book.total() ? changed : [...changed, 'the total'];
          // Both ways of answering are in use.
          return seen.size % 2 === 0 ? names : Promise.resolve(names);
        },
        commit: () => {
          for (const [key, value] of written) book.set(key, value);
        },
        rollback: () => written.clear(),
      };
    },
  };

  /** Calls work on the accounts themselves, one after the other. */
  const snapshots: SerialProtocol<Accounts> = library.snapshotProtocol<Accounts, readonly [string, number][]>(
    {
      snapshot: (book) => [...entriesOf(book)],
      restore: (book, entries) => {
        entriesOf(book).clear();
        for (const [key, value] of entries) book.set(key, value);
      },
    },
  );
  // Within this test all accounts are books, or views of books that have the same members.
  const entriesOf = (accounts: Accounts): Map<string, number> => (accounts as Book).entries;

  return {
    token,
    open: (mode) => {
      const book = makeBook();
      const transactional = mode === 'parallel' ? parallel : snapshots;
      return { book, binding: library.binding<Accounts>(token, { instance: book, transactional }) };
    },
  };
}
