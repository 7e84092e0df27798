import { ViewHeader } from '../components/view.tsx';
import { hasRole } from '../state/operator.ts';
import { hrefTo, route } from '../state/route.ts';
import { Accounts } from './accounts.tsx';
import { Analysts } from './analysts.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Clients } from './clients.tsx';

const kinds = [
  { name: 'keys', label: 'API keys', Page: ApiKeys },
  { name: 'clients', label: 'Clients', Page: Clients },
  { name: 'analysts', label: 'Analysts', Page: Analysts },
  { name: 'accounts', label: 'Accounts', Page: Accounts },
] as const;

export const Access = () => {
  const kind = route.value.query.get('kind') ?? 'keys';
  const shown = kinds.filter(({ name }) => name !== 'accounts' || hasRole('admin'));
  const { Page } = shown.find(({ name }) => name === kind) ?? kinds[0];
  return (
    <section class="view">
      <ViewHeader title="Access" about="Credentials of vendors, partners and analysts, and accounts of operators." />
      <nav class="segments" aria-label="Kind" style={{ justifySelf: 'start' }}>
        {shown.map(({ name, label }) => (
          <a key={name} href={hrefTo('access', '', { kind: name })} aria-current={kind === name ? 'true' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <Page />
    </section>
  );
};
