export { LocalOverridesStore, type LocalOverridesStoreOptions } from './local-overrides-store.ts';
