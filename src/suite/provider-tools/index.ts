export {
  type ProviderToolChoice,
  type ProviderToolsSectionOptions,
  providerToolsSection,
} from './provider-tools-section.ts';
