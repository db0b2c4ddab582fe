import { signal } from './signals.ts';

type Theme = 'light' | 'dark';

const theme = signal<Theme>('light');

/** Follows the setting of the system until the reader changes the theme. */
export function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = (): void => setTheme(dark.matches ? 'dark' : 'light');
  follow();
  dark.addEventListener('change', follow);
}

function setTheme(next: Theme): void {
  theme.value = next;
  document.documentElement.dataset['theme'] = next;
}

export function toggleTheme(): void {
  setTheme(otherTheme());
}

/** The theme that is not chosen. */
export function otherTheme(): Theme {
  return theme.value === 'dark' ? 'light' : 'dark';
}
