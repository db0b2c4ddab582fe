/** The views beside the timeline, in the order of their tabs. */
export const tabs = ['overview', 'detail', 'state', 'policies', 'problems'] as const;
export type Tab = (typeof tabs)[number];

/** What the part of an address after `#` names: a call or a turn, the state after a commit, a view. */
export type Address =
  | { readonly kind: 'row'; readonly id: string }
  | { readonly kind: 'state'; readonly seq: number }
  | { readonly kind: 'tab'; readonly tab: Tab };

/** Reads the part of an address after `#`; undefined for an empty one. */
export function readAddress(fragment: string): Address | undefined {
  const text = decoded(fragment.replace(/^#/, ''));
  if (text === '') return undefined;
  const seq = /^state@(\d{1,9})$/.exec(text)?.[1];
  if (seq !== undefined) return { kind: 'state', seq: Number(seq) };
  const tab = tabs.find((name) => name !== 'detail' && name === text);
  return tab === undefined ? { kind: 'row', id: text } : { kind: 'tab', tab };
}

/** The part of an address after `#`. Slashes of ids are kept: they are allowed there. */
export function writeAddress(address: Address): string {
  if (address.kind === 'state') return `#state@${address.seq}`;
  return `#${encodeURIComponent(address.kind === 'tab' ? address.tab : address.id).replaceAll('%2F', '/')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
