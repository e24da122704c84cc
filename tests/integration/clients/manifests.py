"""What the clients are given to apply."""

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: main, image: "registry.example/web:1", ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: paint, labels: {app: web}}
data: {colour: red}
"""

POD = """
apiVersion: v1
kind: Pod
metadata: {name: lonely}
spec: {containers: [{name: main, image: "registry.example/web:1"}]}
"""

NODE = """
apiVersion: v1
kind: Node
metadata: {name: %s}
"""


def config(name: str, **data: str) -> str:
    """Give a ConfigMap."""
    lines = "".join(f"\n  {key}: {value}" for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {lines}\n"


def crd(group: str) -> str:
    """Give the definition of Boat, in a group of its own."""
    return f"""
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: boats.{group}}}
spec:
  group: {group}
  scope: Namespaced
  names:
    plural: boats
    singular: boat
    kind: Boat
    listKind: BoatList
    shortNames: [bt]
    categories: [all, fleet]
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {{}}
      scale: {{specReplicasPath: .spec.oars, statusReplicasPath: .status.oars}}
    additionalPrinterColumns:
    - {{name: Length, type: integer, jsonPath: .spec.length}}
    - {{name: Age, type: date, jsonPath: .metadata.creationTimestamp}}
    schema:
      openAPIV3Schema:
        type: object
        description: Something that swims.
        properties:
          spec:
            type: object
            description: What was ordered.
            properties:
              length: {{type: integer, minimum: 1, description: From bow to stern.}}
              oars: {{type: integer, default: 2}}
          status: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
"""


def boat(group: str, name: str = "kayak", spec: str = "length: 5") -> str:
    """Give a Boat."""
    return f"apiVersion: {group}/v1\nkind: Boat\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n"
