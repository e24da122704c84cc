"""As much of the schemas of three kinds as the tests of strategic merge patches need."""

from kedge.kube.schema import Schema


def text() -> Schema:
    return Schema("string", go_type="string")


def free() -> Schema:
    return Schema("object", additional=text())


def struct(name: str, /, **fields: Schema) -> Schema:
    return Schema("object", name=name, declared=fields)


def atomic(items: Schema) -> Schema:
    return Schema("array", items=items)


def merged(items: Schema, key: str = "", strategy: str = "merge") -> Schema:
    return Schema("array", items=items, patch_strategy=strategy, merge_key=key)


def metadata() -> Schema:
    owner = struct("OwnerReference", uid=text(), name=text())
    return struct(
        "ObjectMeta",
        name=text(),
        finalizers=merged(text()),
        labels=free(),
        annotations=free(),
        ownerReferences=merged(owner, "uid"),
    )


def container() -> Schema:
    source = struct("EnvVarSource", fieldRef=struct("ObjectFieldSelector", fieldPath=text()))
    variable = struct("EnvVar", name=text(), value=text(), valueFrom=source)
    port = struct("ContainerPort", containerPort=Schema("integer"), name=text(), protocol=text())
    mount = struct("VolumeMount", mountPath=text(), name=text())
    return struct(
        "Container",
        name=text(),
        image=text(),
        env=merged(variable, "name"),
        ports=merged(port, "containerPort"),
        args=atomic(text()),
        resources=struct("ResourceRequirements", limits=free()),
        volumeMounts=merged(mount, "mountPath"),
    )


def pod_spec() -> Schema:
    item = struct("KeyToPath", key=text(), path=text())
    volume = struct(
        "Volume",
        name=text(),
        emptyDir=struct("EmptyDirVolumeSource"),
        configMap=struct("ConfigMapVolumeSource", name=text(), items=atomic(item)),
        secret=struct("SecretVolumeSource", secretName=text()),
    )
    alias = struct("HostAlias", ip=text(), hostnames=atomic(text()))
    return struct(
        "PodSpec",
        containers=merged(container(), "name"),
        volumes=merged(volume, "name", "merge,retainKeys"),
        tolerations=atomic(struct("Toleration", key=text())),
        nodeSelector=free(),
        imagePullSecrets=merged(struct("LocalObjectReference", name=text()), "name"),
        hostAliases=merged(alias, "ip"),
    )


def pod() -> Schema:
    condition = struct("PodCondition", type=text(), status=text())
    status = struct("PodStatus", conditions=merged(condition, "type"))
    return struct("Pod", metadata=metadata(), spec=pod_spec(), status=status)


def deployment() -> Schema:
    update = struct("RollingUpdateDeployment", maxSurge=Schema(format="int-or-string"))
    strategy = struct("DeploymentStrategy", type=text(), rollingUpdate=update)
    strategy.patch_strategy = "retainKeys"
    template = struct("PodTemplateSpec", metadata=metadata(), spec=pod_spec())
    spec = struct(
        "DeploymentSpec", replicas=Schema("integer"), strategy=strategy, template=template
    )
    return struct("Deployment", metadata=metadata(), spec=spec)


def service() -> Schema:
    port = struct("ServicePort", port=Schema("integer"), name=text(), protocol=text())
    spec = struct("ServiceSpec", ports=merged(port, "port"), externalIPs=atomic(text()))
    return struct("Service", metadata=metadata(), spec=spec)


KINDS = {"Pod": pod(), "Deployment": deployment(), "Service": service()}
