import { Select } from './field.tsx';
import { useNetworks } from '../state/use-networks.ts';

interface NetworkSelectProps {
  readonly value: string;
  readonly choose: (value: string) => void;
  /** Whether all together may be chosen. */
  readonly hasAll?: boolean;
}

export const NetworkSelect = ({ value, choose, hasAll = true }: NetworkSelectProps) => {
  const options = useNetworks().map(({ id, name }) => [String(id), name] as const);
  return (
    <Select label="Network" value={value} options={hasAll ? [['', 'All'], ...options] : options} choose={choose} />
  );
};
