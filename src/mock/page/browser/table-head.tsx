/** The column headings of a table. */
export const TableHead = ({ columns }: { columns: string[] }) => (
  <thead>
    <tr>
      {columns.map((name) => (
        <th key={name} scope="col">
          {name}
        </th>
      ))}
    </tr>
  </thead>
);
